// The unsaved changes of a campaign's flow.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FlowAnswer, Path } from '../../api.gen.ts'
import { useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import type { TabProps } from '../../core/campaign.ts'
import { sentence } from '../../core/errors.ts'
import { use } from '../../core/query.ts'
import { flowWords } from '../../text/flow.ts'
import { toastAndReload, toast } from '../../core/toast.ts'
import {
  add,
  changes,
  copyOf,
  coverer,
  edit,
  moveTo,
  neighbour,
  newPath,
  placeOf,
  raise,
  remove,
  toSend,
  type Flow,
  type Known,
} from './edit.ts'

type Wrong = { path?: string; field?: string; text: string }
type Unsaved = { version: string; base: Flow; draft: Flow }

// storageKey returns the key of a campaign's unsaved changes in the session storage of the tab.
const storageKey = (id: string) => 'flow ' + id
function readUnsaved(id: string): Unsaved | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey(id)) ?? 'null') as Unsaved | null
  } catch {
    return null
  }
}

// useDraft holds the flow that a person edits, with the path and the dialog that are open, and saves it. When another person has
// saved the flow, the saved flow replaces the draft, unless the draft has unsaved changes.
export function useDraft(detail: TabProps['detail'], known: Known) {
  const { id, flow_rotation: rotation } = detail.campaign,
    [start] = useState(() => readUnsaved(id)),
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
  // replaced holds the earlier versions of the flow that this page has replaced by saving. An answer with such a version
  // is out of date. It does not mean that another person has changed the flow.
  const replaced = useRef(new Set<string>()),
    elsewhere = !!theirs.data && theirs.data.version !== version && !replaced.current.has(theirs.data.version)
  const restart = ({ streams, version }: Pick<FlowAnswer, 'streams' | 'version'>) => {
    setSaved({ flow: streams, version })
    setDraft(streams)
  }
  useEffect(() => {
    if (theirs.data?.version === version)
      replaced.current.clear() // not earlier, because an answer from before the last save could still arrive
    else if (theirs.data && elsewhere && !dirty && !busy) restart(theirs.data)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a new answer may replace the flow
  }, [theirs.data])
  useEffect(() => {
    if (dirty) sessionStorage.setItem(storageKey(id), JSON.stringify({ version, base, draft }))
    else sessionStorage.removeItem(storageKey(id))
  }, [id, dirty, draft, base, version])
  useEffect(() => {
    const onUnload = (e: BeforeUnloadEvent) => {
      if (dirty) e.preventDefault()
    }
    addEventListener('beforeunload', onUnload)
    return () => removeEventListener('beforeunload', onUnload)
  }, [dirty])
  const set = (next: Flow) => {
    setDraft(next)
    if (wrong) setWrong(undefined)
  }
  const addAndOpen = (p: Path) => {
    set(add(draft, p, rotation))
    setOpen(p.id)
  }
  const move = (path: string, by: 1 | -1) => {
    const other = neighbour(draft, path, by)
    if (other) set(moveTo(draft, path, other.id))
  }
  const change = (path: string, fields: Partial<Path>) => set(edit(draft, path, fields, rotation))
  // covered returns an earlier path that takes all visitors of the given path, or undefined. lift moves the given path before it.
  const covered = (path: string) => coverer(draft, path, rotation)
  const lift = (path: string) => set(raise(draft, path, rotation))
  const removePath = (path: Path) => {
    set(remove(draft, path.id))
    setOpen(null)
    toast(flowWords.removed(path.name), { undo: () => setDraft(draft) })
  }
  // showError shows an error of the service at the path and the field that the error is about.
  const showError = (e: ApiError) => {
    const found = placeOf(e.code, e.message, draft)
    setWrong({ ...found, text: flowWords.codes[e.code] ?? sentence(e) })
    if (found.path) setOpen(found.path)
  }
  // send saves the draft if `match` is still the version of the saved flow.
  const send = async (match: string) => {
    setWrong(undefined)
    const answer = await call('PUT /campaigns/{id}/flow', { path: { id }, body: { streams: toSend(draft) }, match })
    replaced.current.add(match)
    restart(answer)
    setOpen(null)
    setDialog(null)
    toastAndReload(flowWords.live, 'campaigns')
  }
  // save saves the draft if `over` is still the version of the saved flow. A person who has seen a newer version can overwrite
  // that version.
  const save = async (over = version) => {
    if (!dirty) return
    await run(
      () => send(over),
      e => {
        const error = asError(e)
        if (error.code === 'stale') {
          theirs.again()
          setDialog('conflict')
        } else showError(error)
      },
    )
  }
  const discard = () => {
    setDraft(base)
    setWrong(undefined)
    toast(flowWords.discarded, { undo: () => setDraft(draft) })
  }
  // adoptTheirs replaces the draft by the flow that another person saved.
  const adoptTheirs = () => {
    if (!theirs.data) return
    restart(theirs.data)
    setWrong(undefined)
    setDialog(null)
  }
  const addPath = () =>
    addAndOpen({ ...newPath(flowWords.pathName(draft.length + 1)), stream_type: draft.length === 0 ? 'default' : 'regular' })
  const clone = (path: Path) => addAndOpen(copyOf(draft, path, n => `${path.name} ${n}`))
  const other = theirs.data?.version === version ? undefined : theirs.data
  const state = { base, draft, list, dirty, open, wrong, busy, dialog, elsewhere, theirs: other }
  return {
    ...state,
    set,
    change,
    covered,
    lift,
    addPath,
    clone,
    move,
    removePath,
    showError,
    save,
    discard,
    adoptTheirs,
    setOpen,
    setDialog,
  }
}
