// call sends a request to the service.
import { signal } from '@preact/signals'
import type { Calls } from '../api.gen.ts'
import { newID } from './id.ts'
import { offline } from './online.ts'

// Row is a route of the service, such as 'GET /campaigns/{id}'.
export type Row = keyof Calls
// Request holds the arguments of a call. `match` is the version of the record that a write expects. `key` is the Idempotency-Key of
// a write that may be sent again. `later` is called with the job's id as soon as the job is known.
type Request<R extends Row> = {
  query?: Calls[R]['query']
  path?: Calls[R]['path']
  body?: Calls[R]['body'] | object
  signal?: AbortSignal
  key?: string
  match?: string
  later?: (id: string) => void
}

export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly request = '',
    readonly wait = 0,
  ) {
    super(message)
  }
}

// signedOut opens the sign-in card over whatever is shown, so that nothing typed is lost.
export const signedOut = signal(false)
// confirming opens the card that asks the person for their password again.
export const confirming = signal<null | { done: (ok: boolean) => void }>(null)

export const asError = (e: unknown) => (e instanceof ApiError ? e : new ApiError('away', 0, String(e)))

// call sends a request and returns the data of the answer. For a job it waits until the job has ended. If the service asks for a
// confirmation, call asks the person for the password. If the person gives it, call sends the request again.
export async function call<R extends Row>(row: R, ask: Request<R> = {}): Promise<Calls[R]['answer']> {
  const [method, pattern] = row.split(' ') as [string, string]
  let path = pattern.startsWith('/app/') ? pattern : '/api/v1' + pattern
  for (const [name, value] of Object.entries(ask.path ?? {})) path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(ask.query ?? {})) {
    for (const item of [value].flat()) if (item !== undefined && item !== null) query.append(name, String(item))
  }
  if (query.size) path += '?' + query
  const headers: Record<string, string> = {}
  if (ask.body !== undefined) headers['Content-Type'] = 'application/json'
  if (method !== 'GET') headers['X-Switchyard-Page'] = '1' // without this header the service refuses writes of a session
  if (ask.match) headers['If-Match'] = `"${ask.match}"`
  if (method === 'POST' && !pattern.startsWith('/app/')) headers['Idempotency-Key'] = ask.key ?? newID()
  if (ask.later) headers.Prefer = 'respond-async'
  try {
    return (await follow(await send(method, path, headers, ask.body, ask.signal), ask.signal, ask.later)) as Calls[R]['answer']
  } catch (e) {
    if (!(e instanceof ApiError)) throw e
    if (e.status === 401 && e.code === 'unauthenticated') signedOut.value = true
    if (e.code === 'confirm' && (await confirmed())) return call(row, { ...ask, key: headers['Idempotency-Key'] })
    throw e
  }
}

// confirmed asks for the password, and reports whether the person gave it.
const confirmed = () =>
  new Promise<boolean>(done => {
    confirming.value = { done }
  })

// unreached returns the error of a request without an answer. For a write, the error says that the write was not done (offline_write),
// or that this is not known (unanswered).
export function unreached(method: string) {
  const codes = offline.value ? ['offline', 'offline_write'] : ['away', 'unanswered']
  return new ApiError(codes[method === 'GET' ? 0 : 1]!, 0, 'no answer')
}

type Envelope = { data: unknown; error: { code: string; message: string } | null }
type Reply = { status: number; data: unknown }

async function send(method: string, path: string, headers: Record<string, string>, body: unknown, signal?: AbortSignal): Promise<Reply> {
  let res: Response
  try {
    res = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'same-origin',
    })
  } catch (e) {
    if (signal?.aborted) throw e
    throw unreached(method)
  }
  const request = res.headers.get('X-Request-Id') ?? ''
  let envelope: Envelope
  try {
    envelope = (await res.json()) as Envelope
  } catch {
    throw new ApiError(method === 'GET' ? 'away' : 'unanswered', res.status, 'no answer', request)
  }
  if (envelope.error)
    throw new ApiError(envelope.error.code, res.status, envelope.error.message, request, Number(res.headers.get('Retry-After') ?? 0))
  return { status: res.status, data: envelope.data }
}

const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })

async function follow(first: Reply, signal?: AbortSignal, later?: (id: string) => void): Promise<unknown> {
  if (first.status !== 202) return first.data
  const { job } = first.data as { job: { id: string } }
  later?.(job.id)
  for (let wait = 500; ; wait = Math.min(wait * 1.5, 5000)) {
    await pause(wait, signal)
    const { data } = await send('GET', `/api/v1/jobs/${job.id}`, {}, undefined, signal)
    const state = data as { status: string; result?: unknown; error?: { code: string; message: string } }
    if (state.status === 'failed') throw new ApiError(state.error?.code ?? 'internal_error', 200, state.error?.message ?? '')
    if (state.status === 'done') return state.result
  }
}
