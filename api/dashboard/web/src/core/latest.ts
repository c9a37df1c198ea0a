// Reads records again, so that a form notices what another person has saved.
import { call, type Row } from './call.ts'
import { touches } from './query.ts'

type Listed = { id: string; name: string }
type Page = { rows: Listed[]; next_cursor?: string | null }
const mostPages = 30

// latestOf reads a record of a list again. It returns undefined if the record is no longer in the list. The list on the screen is loaded
// again if the record has changed.
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
  if (found && (found as { updated_at?: string }).updated_at !== (record as { updated_at?: string }).updated_at) touches(list)
  return found as R | undefined
}
