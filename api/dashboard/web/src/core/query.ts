// use asks for something and keeps what came: a screen shows it at once when it is seen again, and asks anew behind it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import type { Calls } from '../api.gen.ts'
import { ApiError, call, signedOut, type Row } from './call.ts'

const kept = new Map<string, unknown>()
const most = 200 // answers that are kept

function keep(key: string, data: unknown) {
  kept.delete(key)
  kept.set(key, data)
  for (const old of kept.keys()) { if (kept.size <= most) break; kept.delete(old) }
}

// forget drops all that is kept: another account, or somebody else.
export const epoch = signal(0)
export function forget() { kept.clear(); epoch.value++ }

// busy is how many questions are under way, for the thin bar on top.
export const busy = signal(0)

export type Used<A> = { data: A | undefined, error: ApiError | undefined, loading: boolean, again: () => void }

export async function ask<R extends Row>(row: R, query: Calls[R]['query'], signal?: AbortSignal): Promise<Calls[R]['answer']> {
  busy.value++
  try {
    const data = await call(row, { query, signal })
    keep(row + JSON.stringify(query), data)
    return data
  } finally { busy.value-- }
}

export const known = <R extends Row>(row: R, query: Calls[R]['query']) => kept.get(row + JSON.stringify(query)) as Calls[R]['answer'] | undefined

// use: every is after how many seconds it is asked again, while the page is seen; null as the query asks nothing.
export function use<R extends Row>(row: R, query: Calls[R]['query'] | null, every = 0): Used<Calls[R]['answer']> {
  const key = query === null ? '' : row + JSON.stringify(query)
  const [state, set] = useState<{ key: string, data?: Calls[R]['answer'], error?: ApiError }>({ key: '' })
  const [turn, again] = useState(0)
  const shown = useRef<Calls[R]['answer'] | undefined>(undefined)
  const of = epoch.value, out = signedOut.value
  useEffect(() => {
    if (query === null || out) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const go = () => ask(row, query, stop.signal).then(
      data => { set({ key, data }); next() },
      e => { if (!stop.signal.aborted) { set({ key, data: kept.get(key) as Calls[R]['answer'], error: e instanceof ApiError ? e : new ApiError('away', 0, String(e)) }); next() } })
    const next = () => { if (every) timer = setTimeout(() => document.hidden ? next() : void go(), every * 1000) }
    void go()
    const seen = () => { if (!document.hidden) { clearTimeout(timer); void go() } }
    document.addEventListener('visibilitychange', seen)
    return () => { stop.abort(); clearTimeout(timer); document.removeEventListener('visibilitychange', seen) }
  }, [key, turn, of, out])
  const data = (state.key === key ? state.data : undefined) ?? kept.get(key) as Calls[R]['answer'] | undefined
  if (data !== undefined) shown.current = data
  return { data, error: state.key === key ? state.error : undefined, loading: data === undefined, again: () => again(n => n + 1) }
}
