// Connects the official client to a server, lists the tools, runs a report and tries to pause a campaign. Prints what it got as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const [url, key, from] = process.argv.slice(2)
const client = new Client({ name: 'npm client', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
)
const { tools } = await client.listTools() // the client checks answers against the schemas that it has listed
const report = await client.callTool({ name: 'run_report', arguments: { dimension: 'os', from } })
const id = '00000000-0000-7000-8000-000000000000'
let refused
try {
  const answer = await client.callTool({ name: 'set_active', arguments: { kind: 'campaign', id, active: false } })
  refused = answer.content[0].text
} catch (error) {
  refused = error.message
}
console.log(
  JSON.stringify({ server: client.getServerVersion().name, tools, report: report.structuredContent, isError: report.isError ?? false, refused }),
)
await client.close()
