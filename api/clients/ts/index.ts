// The client of Switchyard's API. Types and operations are generated from the description of the API. The client runs wherever
// there is fetch: Node 20 and later, Deno, Bun, Workers.
//
//   const client = new Client("https://track.example.com", process.env.SWITCHYARD_KEY!);
//   for await (const campaign of client.rows("listCampaigns", { query: { status: "active" } })) console.log(campaign.name);
//
// Each POST carries an idempotency key, so a repeated POST is carried out only once. A call that the service refuses for now is
// repeated after the time in Retry-After. A GET or a POST that gets no answer is repeated after some seconds. If a call continues as
// a job, the client waits for the job.

import { type JobRef, type Operations, operations } from "./api.gen.js";
export * from "./api.gen.js";

export type Name = keyof Operations;
/** The operations whose answer has pages of rows. */
export type ListName = { [N in Name]: [Operations[N]["row"]] extends [never] ? never : N }[Name];

/** The input of a call. An empty path or body is left out. */
export type Input<N extends Name> = {
  query?: Operations[N]["query"];
  idempotencyKey?: string;
  /** The version that was read: the call is refused if the record has changed since. */
  ifMatch?: string;
  signal?: AbortSignal;
} & (keyof Operations[N]["path"] extends never ? { path?: undefined } : { path: Operations[N]["path"] }) &
  (undefined extends Operations[N]["body"] ? { body?: undefined } : { body: Operations[N]["body"] });

/** An error of a call or of its job. Programs branch on the code. */
export class SwitchyardError extends Error {
  override readonly name = "SwitchyardError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

export interface Options {
  fetch?: typeof fetch;
  /** The maximum number of requests for one call. */
  tries?: number;
  /** The longest wait before a call is repeated, in seconds. A call that would have to wait longer fails. */
  longest?: number;
}

type Answer = { data: unknown; error: { code: string; message: string } | null };

export class Client {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly options: Options = {},
  ) {}

  /** Calls an operation and returns the data of its answer. */
  async call<N extends Name>(name: N, input: Input<N>): Promise<Operations[N]["answer"]> {
    const [method, template] = operations[name];
    const path = template.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent((input.path as Record<string, string>)[part] ?? ""));
    const headers = new Headers({ Authorization: `Bearer ${this.key}` });
    if (input.body !== undefined) headers.set("Content-Type", "application/json");
    if (method === "POST") headers.set("Idempotency-Key", input.idempotencyKey ?? crypto.randomUUID());
    if (input.ifMatch) headers.set("If-Match", input.ifMatch);
    const request: RequestInit = { method, headers, signal: input.signal ?? null };
    if (input.body !== undefined) request.body = JSON.stringify(input.body);
    return (await this.send(path + queryOf(input.query), request)) as Operations[N]["answer"];
  }

  /** Iterates over the rows of all pages of a list. If the query has no limit, only the first page of a log is read. */
  async *rows<N extends ListName>(name: N, input: Input<N>): AsyncGenerator<Operations[N]["row"]> {
    const query: Record<string, unknown> = { ...input.query };
    for (;;) {
      const page = (await this.call(name, { ...input, query })) as { rows: Operations[N]["row"][]; next_cursor?: string | null };
      yield* page.rows;
      if (page.next_cursor) query.cursor = page.next_cursor;
      else if (page.next_cursor === undefined && page.rows.length > 0 && page.rows.length >= Number(query.limit ?? Infinity))
        query.offset = Number(query.offset ?? 0) + page.rows.length;
      else return;
    }
  }

  private async send(path: string, request: RequestInit): Promise<unknown> {
    const again = request.method === "GET" || request.method === "POST";
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.once(path, request);
      } catch (cause) {
        let wait = 2 ** (attempt - 1);
        let later = again && cause instanceof TypeError; // fetch got no answer
        if (cause instanceof SwitchyardError) {
          wait = cause.retryAfter || wait;
          later = cause.status === 429 || cause.status === 503 || cause.code === "idempotency_in_progress";
        }
        if (!later || attempt >= (this.options.tries ?? 4) || wait > (this.options.longest ?? 60)) throw cause;
        await pause(wait, request.signal);
      }
    }
  }

  private async once(path: string, request: RequestInit): Promise<unknown> {
    const response = await (this.options.fetch ?? fetch)(this.url.replace(/\/$/, "") + path, request);
    const text = await response.text();
    const answer = response.headers.get("Content-Type")?.includes("json") ? (JSON.parse(text) as Answer) : undefined;
    if (!response.ok) {
      const { code, message } = answer?.error ?? { code: "", message: `the service answers ${response.status}` };
      throw new SwitchyardError(response.status, code, message, secondsOf(response.headers.get("Retry-After")));
    }
    if (response.status === 202) return this.await((answer?.data as JobRef).job.id, request.signal);
    return answer && "data" in answer ? answer.data : text;
  }

  /** Polls a job until it has ended, and returns the answer of the call that began it. */
  private async await(id: string, signal?: AbortSignal | null): Promise<unknown> {
    for (let wait = 0.5; ; wait = Math.min(2 * wait, 5)) {
      await pause(wait, signal);
      const { status, result, error } = await this.call("getJob", { path: { id }, ...(signal && { signal }) });
      if (error) throw new SwitchyardError(0, error.code ?? "", error.message);
      if (status === "done") return result;
    }
  }
}

function queryOf(query: object = {}): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][])
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null) out.append(name, String(one));
  return out.size ? `?${out}` : "";
}

function secondsOf(header: string | null): number {
  if (!header) return 0;
  return Number(header) || Math.max(0, (Date.parse(header) - Date.now()) / 1000) || 0;
}

function pause(seconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop);
  });
}

/** The event that a webhook delivers. The id is the same at each attempt, so that you can ignore repeats. */
export interface WebhookEvent {
  id: string;
  type: string;
  created_at: string;
  account_id: string;
  data: unknown;
}

/**
 * Checks the signature of a webhook by the endpoint's signing secret, and reads the event. The body is the raw body. For a day after
 * a rotation, the new and the old secret are both accepted. Throws if the webhook was not sent by the service, or not within the last
 * five minutes.
 */
export async function readWebhook(secret: string, signature: string | null, body: string, now = Date.now()): Promise<WebhookEvent> {
  const parts = (signature ?? "").split(",").map((part) => part.split("="));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!(Math.abs(now / 1000 - Number(time || NaN)) <= 300)) throw new Error("the webhook was not signed within the last five minutes");
  const bytes = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", bytes.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const [name, value = ""] of parts) {
    const sum = Uint8Array.from(value.match(/[0-9a-f]{2}/g) ?? [], (pair) => parseInt(pair, 16));
    if (name === "v1" && (await crypto.subtle.verify("HMAC", key, sum, bytes.encode(`${time}.${body}`)))) return JSON.parse(body) as WebhookEvent;
  }
  throw new Error("the signature of the webhook does not match");
}
