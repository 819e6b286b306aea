// The official TypeScript client, version 2. Arguments: address, key, how to negotiate the version.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exercise } from "./exercise.mjs";

const [address, key, mode] = process.argv.slice(2);
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit });
const client = new Client(
  { name: "tests-v2", version: "1" },
  { capabilities: {}, versionNegotiation: { mode } },
);
await exercise(client, transport, () => client.getNegotiatedProtocolVersion());
