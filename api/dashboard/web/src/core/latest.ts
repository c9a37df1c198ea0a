// Reads records again, so that a form notices what another person has saved.
import { call, type Row } from './call.ts'
import type { Fields } from './merge.ts'
import { touches } from './query.ts'

// Latest is a record that was read again. `match` is the record's version, which a write sends in If-Match.
export type Latest = { fields: Fields; match?: string }

type Listed = { id: string; name: string }
type Page = { rows: Listed[]; next_cursor?: string | null }
const mostPages = 30

export const versionOf = (record: object) => (record as { updated_at?: string }).updated_at

// latestOf reads a record of a list again. It returns undefined if it does not find the record.
export async function latestOf<R extends Listed>(list: string, record: R): Promise<R | undefined> {
  const page = (query: object) => call(`GET /${list}` as Row, { query } as never) as unknown as Promise<Page>,
    find = (p: Page) => p.rows.find(r => r.id === record.id)
  let found = find(await page({ q: record.name }))
  for (let i = 0, cursor: string | undefined; !found && i < mostPages; i++) {
    const p = await page(cursor ? { cursor } : {})
    found = find(p)
    if (!p.next_cursor) break
    cursor = p.next_cursor
  }
  if (found && versionOf(found) !== versionOf(record)) touches(list)
  return found as R | undefined
}
