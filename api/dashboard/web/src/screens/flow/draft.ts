// The unsaved changes of a campaign's flow.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FlowAnswer, Path } from '../../api.gen.ts'
import { useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import type { TabProps } from '../../core/campaign.ts'
import { sentence } from '../../core/errors.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { add, changes, copyOf, moveTo, neighbour, newPath, placeOf, remove, toSend, type Flow, type Known } from './edit.ts'

type Wrong = { path?: string; field?: string; text: string }
type Kept = { version: string; base: Flow; draft: Flow }

// Unsaved changes are kept in the tab's session storage, so that a visit to another page loses nothing.
const slot = (id: string) => 'flow ' + id
function kept(id: string): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(slot(id)) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

// useDraft holds the flow that a person edits, with the path and the dialog that are open, and saves it. When another person has
// saved the flow, the saved flow replaces the draft, unless the draft has unsaved changes.
export function useDraft(detail: TabProps['detail'], known: Known) {
  const { id } = detail.campaign,
    [start] = useState(() => kept(id)),
    [saved, setSaved] = useState({ flow: start?.base ?? detail.streams, version: start?.version ?? detail.version }),
    [draft, setDraft] = useState<Flow>(start?.draft ?? detail.streams)
  const [open, setOpen] = useState<string | null>(null),
    [wrong, setWrong] = useState<Wrong>(),
    [busy, run] = useBusy(),
    [dialog, setDialog] = useState<'conflict' | 'save' | null>(null)
  const { flow: base, version } = saved,
    theirs = use('GET /campaigns/{id}/flow', {}, 20, { id }),
    list = useMemo(() => changes(base, draft, known), [base, draft, known]),
    dirty = list.length > 0
  const past = useRef(new Set<string>()),
    elsewhere = !!theirs.data && theirs.data.version !== version && !past.current.has(theirs.data.version)
  const restart = (of: Pick<FlowAnswer, 'streams' | 'version'>) => {
    setSaved({ flow: of.streams, version: of.version })
    setDraft(of.streams)
  }
  useEffect(() => {
    if (theirs.data?.version === version)
      past.current.clear() // until then, an answer from before the last save may still arrive
    else if (theirs.data && elsewhere && !dirty && !busy) restart(theirs.data)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a new answer may replace the flow
  }, [theirs.data])
  useEffect(() => {
    if (dirty) sessionStorage.setItem(slot(id), JSON.stringify({ version, base, draft }))
    else sessionStorage.removeItem(slot(id))
  }, [id, dirty, draft, base, version])
  useEffect(() => {
    const leave = (e: BeforeUnloadEvent) => {
      if (dirty) e.preventDefault()
    }
    addEventListener('beforeunload', leave)
    return () => removeEventListener('beforeunload', leave)
  }, [dirty])
  const set = (next: Flow) => {
    setDraft(next)
    if (wrong) setWrong(undefined)
  }
  const put = (p: Path) => {
    set(add(draft, p))
    setOpen(p.id)
  }
  const move = (path: string, by: 1 | -1) => {
    const other = neighbour(draft, path, by)
    if (other) set(moveTo(draft, path, other.id))
  }
  const drop = (path: Path) => {
    set(remove(draft, path.id))
    setOpen(null)
    toast(t.flow.removed(path.name), { undo: () => setDraft(draft) })
  }
  // said shows an error of the service at the path and the field that it is about.
  const said = (e: ApiError) => {
    const at = placeOf(e.code, e.message, draft)
    setWrong({ ...at, text: t.flow.codes[e.code] ?? sentence(e) })
    if (at.path) setOpen(at.path)
  }
  const send = async (match: string) => {
    setWrong(undefined)
    const got = await call('PUT /campaigns/{id}/flow', { path: { id }, body: { streams: toSend(draft) }, match })
    past.current.add(match)
    restart(got)
    setOpen(null)
    setDialog(null)
    touches('campaigns')
    toast(t.flow.live)
  }
  const save = async (over = version) => {
    if (!dirty) return
    await run(
      () => send(over),
      e => {
        const error = asError(e)
        if (error.code === 'stale') {
          theirs.again()
          setDialog('conflict')
        } else said(error)
      },
    )
  }
  const discard = () => {
    setDraft(base)
    setWrong(undefined)
    toast(t.flow.discarded, { undo: () => setDraft(draft) })
  }
  const take = () => {
    if (!theirs.data) return
    restart(theirs.data)
    setWrong(undefined)
    setDialog(null)
  }
  const addPath = () => put({ ...newPath(t.flow.pathName(draft.length + 1)), stream_type: draft.length === 0 ? 'default' : 'regular' })
  const clone = (path: Path) => put(copyOf(draft, path, n => `${path.name} ${n}`))
  const other = theirs.data?.version === version ? undefined : theirs.data
  const state = { base, draft, list, dirty, open, wrong, busy, dialog, elsewhere, theirs: other }
  return { ...state, set, addPath, clone, move, drop, said, save, discard, take, setOpen, setDialog }
}
