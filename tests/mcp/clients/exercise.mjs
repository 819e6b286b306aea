// What each client does; prints one JSON object with what it saw.
export async function exercise(client, transport, version) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const call = (name, given) => client.callTool({ name, arguments: given });
  const saved = await call("create_memory", { content: "Ada Park prefers window seats." });
  const found = await call("search_memory", { query: "window seats" });
  const refused = await call("search_memory", { query: "seats", limit: 99 });
  const unknown = await call("delete_memory", {}).catch((error) => error.message);
  const seen = {
    version: version(),
    instructions: client.getInstructions(),
    tools: tools.map((tool) => tool.name),
    saved: saved.structuredContent,
    found: found.structuredContent,
    text: found.content[0].text,
    refused: { isError: refused.isError, error: JSON.parse(refused.content[0].text).error },
    unknown,
  };
  console.log(JSON.stringify(seen));
  await client.close();
}
