// Lists campaigns by the generated types, and builds a flow by them.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string> };

const path: components["schemas"]["PathBody"] = {
  action: "redirect",
  destinations: [{ url: "https://offer.example/{clickid}" }],
  filters: [{ attribute: "country", operator: "in", value: ["DE", "AT"] }],
};

const client = createClient<paths>({
  baseUrl: process.env.BASE_URL,
  headers: { Authorization: `Bearer ${process.env.API_KEY}` },
});
const made = await client.POST("/api/v1/campaigns", { body: { name: "By TypeScript", alias: "by-typescript", streams: [path] } });
if (made.error) throw new Error(made.error.error.code);
const { data, error } = await client.GET("/api/v1/campaigns", { params: { query: { limit: 10 } } });
if (error) throw new Error(error.error.message);
for (const row of data.data.rows) console.log(row.name, row.clicks);
