// The official TypeScript client, version 1 (2025-11-25). Arguments: address, key.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { exercise } from "./exercise.mjs";

const [address, key] = process.argv.slice(2);
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit });
const client = new Client({ name: "tests-v1", version: "1" }, { capabilities: {} });
await exercise(client, transport, () => transport.protocolVersion);
