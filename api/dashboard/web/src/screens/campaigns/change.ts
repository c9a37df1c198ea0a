import { changeManyAndToast } from '../../core/bulk.ts'
import { call } from '../../core/call.ts'
import { checkOf, hasProblems } from '../../core/campaign.ts'
import { inBatches } from '../../core/listing.ts'
import { touches } from '../../core/query.ts'
import { go } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { failed, toast } from '../../core/toast.ts'
import type { Question } from '../../parts/ask.tsx'

type Changes<R> = (r: R) => object

// patchAll changes campaigns, a few at a time, and shows the first error. It returns the number of errors.
async function patchAll<R extends { id: string }>(rows: R[], changes: Changes<R>, what?: string) {
  const errors = await inBatches(rows, r => call('PATCH /campaigns/{id}', { path: { id: r.id }, body: changes(r) }))
  touches('campaigns', 'reports')
  if (errors.length) failed(errors[0], what)
  return errors.length
}

// patch changes campaigns. Unless all changes fail, it shows the text `done`, with a button that undoes the changes if `undo` is given.
// `what` names the change in an error.
export async function patch<R extends { id: string }>(rows: R[], changes: Changes<R>, done: string, undo?: Changes<R>, what?: string) {
  if ((await patchAll(rows, changes, what)) < rows.length) toast(done, undo && { undo: () => patchAll(rows, undo) })
}

// goLive sets a campaign active. If the check of the campaign finds problems, goLive shows them instead, with a button that sets the
// campaign active.
export const goLive = async (c: { id: string; name: string; status: string }) => {
  if (await hasProblems(c.id)) go(checkOf(c.id, true))
  else await setStatus([c], 'active')
}

type Campaigns = { id: string; name: string; status: string }[]

// goLiveAll is goLive for several campaigns. If some have problems, it names them and asks first.
export async function goLiveAll(rows: Campaigns, ask: (q: Question) => void, on: () => Promise<void> = () => setActive(rows)) {
  const bad: string[] = []
  await inBatches(rows, async r => {
    if (await hasProblems(r.id)) bad.push(r.name)
  })
  if (bad.length === 0) return on()
  ask({ title: t.campaigns.liveTitle(bad.length, rows.length), text: bad.join(', '), go: t.campaigns.liveAnyway, danger: true, on })
}

const setActive = async (rows: Campaigns) => void (await setStatus(rows, 'active'))

const verbs: Record<string, string> = { paused: t.lists.pause, active: t.lists.resume, archived: t.lists.archive }

// setStatus pauses, resumes or archives campaigns.
export const setStatus = (rows: Campaigns, status: string) => {
  const done = t.campaigns.nowStatus[status]!(rows.length, rows[0]!.name)
  if (rows.length > 1) return changeManyAndToast('campaigns', rows, { status }, done)
  return patch(
    rows,
    () => ({ status }),
    done,
    r => ({ status: r.status }),
    `${verbs[status]}: ${rows.length === 1 ? rows[0]!.name : rows.length}`,
  )
}
