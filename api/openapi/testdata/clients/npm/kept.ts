// Lists campaigns page by page by the client that is kept in the repository, and reads the golden webhook.
import { Client, SwitchyardError, readWebhook } from "./kept/index.js";

declare const process: { env: Record<string, string>; getBuiltinModule(name: "fs"): { readFileSync(path: string, form: "utf8"): string } };

const client = new Client(process.env.BASE_URL, process.env.API_KEY);
for await (const row of client.rows("listCampaigns", { query: { limit: 1, sort: "name" } })) console.log(row.name);
try {
  await client.call("getCampaign", { path: { id: "no id" } });
} catch (refused) {
  console.log((refused as SwitchyardError).code);
}

const [head = "", body = ""] = process.getBuiltinModule("fs").readFileSync("webhook.txt", "utf8").trimEnd().split("\n\n");
const signature = head.split(": ")[1] ?? "";
const at = Date.parse("2026-01-02T03:04:05Z");
console.log((await readWebhook("whsec_old", signature, body, at)).type);
console.log(await readWebhook("whsec_other", signature, body, at).then(() => "read", () => "refused"));
