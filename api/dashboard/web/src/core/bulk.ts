// Changes of many records, up to 500 in a call.
import { w } from '../text/bulk.ts'
import { call } from './call.ts'
import { touches } from './query.ts'
import { failed, toast } from './toast.ts'

export type Many = 'campaigns' | 'offers' | 'landers'
const most = 500 // records in one call

const reload = () => touches('campaigns', 'offers', 'landers', 'flows', 'groups', 'tools', 'reports', 'changes')

// undo undoes changes, the last one first.
export async function undo(changes: string[]) {
  const kept: string[] = []
  try {
    for (const id of changes.toReversed()) kept.push(...(await call('POST /changes/{id}/undo', { path: { id } })).kept.map(k => k.name))
    toast(kept.length ? w.kept([...new Set(kept)].slice(0, 5).join(', ')) : w.undone, { bad: kept.length > 0 })
  } catch (e) {
    failed(e)
  }
  reload()
}

// changeMany changes fields of records, 500 in a call. If a call is refused, the calls before it are undone.
export async function changeMany(name: Many, ids: string[], body: object) {
  const changes: string[] = []
  let changed = 0
  try {
    for (let i = 0; i < ids.length; i += most) {
      const got = await call(`POST /${name}/bulk` as 'POST /campaigns/bulk', { body: { ...body, ids: ids.slice(i, i + most) } })
      changed += got.changed
      if (got.change_id) changes.push(got.change_id)
    }
  } catch (e) {
    if (changes.length) await undo(changes)
    throw e
  }
  reload()
  return { changed, changes }
}

export const changeManyAndToast = (name: Many, rows: { id: string }[], body: object, done: string) =>
  changeMany(
    name,
    rows.map(r => r.id),
    body,
  ).then(({ changes }) => toast(done, changes.length ? { undo: () => undo(changes) } : {}), failed)
