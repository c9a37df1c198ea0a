// The jobs that every screen shows. The jobs that this browser tab has started are kept in the session storage, so that they are
// shown even after a reload of the page.
import { signal } from '@preact/signals'
import type { Calls, JobAnswer, JobRow } from '../api.gen.ts'
import { asError, call, type Row } from './call.ts'
import { newID } from './id.ts'
import { me } from './me.ts'
import { touches } from './query.ts'
import { t } from './text.ts'

export type Job = {
  key: string
  id?: string
  account: string
  name: string
  status: 'pending' | 'running' | 'done' | 'failed'
  at: number
  ended?: number
  text?: string
  code?: string
  path?: string
  file?: string
  told?: boolean // a toast has reported the result
  listed?: boolean
}
const most = 50, // jobs that are kept
  storageKey = 'switchyard.jobs',
  every = 2000 // ms between two requests for the state of a job

function stored(): Job[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]') as Job[]
  } catch {
    return []
  }
}
const ownJobs = signal<Job[]>(stored())

// listed are the jobs of the account that the service lists, including jobs of other tabs and people.
const listed = signal<Job[]>([])

// previews is the kind of a job that calculates what a cost would change before a person sets it. Each edit of the form starts such
// a job, so jobs of this kind are not shown.
const previews = 'correction:set-cost'

export function setListed(rows: JobRow[]) {
  const account = me.value!.account.id,
    open = new Set(listed.value.filter(isOpen).map(j => j.id))
  if (rows.some(r => r.kind === 'export:make' && r.status === 'done' && open.has(r.id))) touches('reports')
  listed.value = rows
    .filter(r => r.kind !== previews)
    .map(r => ({
      key: r.id,
      id: r.id,
      account,
      name: t.exports.kindsOf[r.kind] ?? r.kind,
      status: r.status as Job['status'],
      at: Date.parse(r.created_at),
      ended: r.finished_at ? Date.parse(r.finished_at) : undefined,
      text: r.error?.message,
      code: r.error?.code,
      path: r.kind === 'export:make' && r.status === 'done' ? '/app/exports' : undefined,
      listed: true,
    }))
}

// jobs returns the jobs of the account that is shown, newest first.
export function jobs(): Job[] {
  const own = ownJobs.value.filter(j => j.account === me.value?.account.id),
    known = new Set(own.map(j => j.id))
  return [...own, ...listed.value.filter(j => j.account === me.value?.account.id && !known.has(j.id))].sort((a, b) => b.at - a.at)
}
export const isOpen = (j: Job) => j.status === 'pending' || j.status === 'running'

function put(job: Job) {
  const others = ownJobs.value.filter(j => j.key !== job.key)
  ownJobs.value = [job, ...others].sort((a, b) => b.at - a.at).slice(0, most)
  sessionStorage.setItem(storageKey, JSON.stringify(ownJobs.value))
}
const update = (key: string, change: Partial<Job>) => {
  const job = ownJobs.value.find(j => j.key === key)
  if (job) put({ ...job, ...change })
}

// removeJobs removes all jobs when a person signs out.
export function removeJobs() {
  ownJobs.value = []
  listed.value = []
  sessionStorage.removeItem(storageKey)
}

// task sends a call whose answer takes a while, and shows the call as a job. The function `describe` returns what the job shows of
// the answer.
export async function task<R extends Row>(
  named: string,
  row: R,
  ask: { query?: Calls[R]['query']; body?: Calls[R]['body'] | object; later?: (id: string) => void },
  describe: (answer: Calls[R]['answer']) => Pick<Job, 'text' | 'path' | 'file' | 'told'>,
): Promise<Calls[R]['answer']> {
  const key = newID()
  put({ key, account: me.value!.account.id, name: named, status: 'running', at: Date.now() })
  try {
    const later = (id: string) => {
      update(key, { id })
      ask.later?.(id)
    }
    const answer = await call(row, { ...ask, later })
    update(key, { status: 'done', ended: Date.now(), ...describe(answer) })
    return answer
  } catch (e) {
    const error = asError(e)
    update(key, { status: 'failed', ended: Date.now(), text: error.message, code: error.code })
    throw e
  }
}

// adopt shows a job that an earlier call has begun, and follows it until it ends.
export function adopt(named: string, id: string, text: string, path?: string) {
  if (ownJobs.value.some(j => j.id === id)) return
  const key = newID()
  put({ key, id, account: me.value!.account.id, name: named, status: 'running', at: Date.now() })
  follow(key, id, text, path)
}

function follow(key: string, id: string, text = t.exports.done, path?: string) {
  const poll = async () => {
    try {
      const job: JobAnswer = await call('GET /jobs/{id}', { path: { id } })
      if (job.status === 'done') {
        touches('reports')
        return update(key, { status: 'done', ended: Date.now(), text, path })
      }
      if (job.status === 'failed')
        return update(key, { status: 'failed', ended: Date.now(), text: job.error?.message, code: job.error?.code })
      update(key, { status: job.status as Job['status'] })
    } catch (e) {
      // a job that the service has deleted counts as done; any other error may be temporary
      if (asError(e).status === 404) return update(key, { status: 'done', ended: Date.now() })
    }
    setTimeout(() => void poll(), every)
  }
  void poll()
}

// resume follows the jobs that were open when the page was reloaded. A call that had no job yet was cut off by the reload, so it
// is shown as failed.
export function resume() {
  for (const j of jobs().filter(j => isOpen(j) && !j.listed))
    j.id ? follow(j.key, j.id) : update(j.key, { status: 'failed', ended: Date.now(), code: 'unanswered' })
}
