import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Path } from '../../api.gen.ts'
import { ApiError, asError, call } from '../../core/call.ts'
import { newID } from '../../core/id.ts'
import { canWrite } from '../../core/can.ts'
import { useFlows } from '../../core/choices.ts'
import { useKeys, usePress } from '../../core/keys.ts'
import { touches, use } from '../../core/query.ts'
import { windowQuery } from '../../core/report.ts'
import { t } from '../../core/text.ts'
import { add, changes, copyOf, moveTo, neighbour, newPath, placeOf, remove, toSend, tried, update, type Flow as Paths } from './edit.ts'
import { changeText } from './text.ts'
import { Seg } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Item, Menu } from '../../parts/menu.tsx'
import { sentence } from '../../core/errors.ts'
import { failed, toast } from '../../core/toast.ts'
import type { TabProps } from '../../core/campaign.ts'
import { Conflict, PathFigures, SaveAs } from './more.tsx'
import { PathSheet } from './path.tsx'
import { Rails, type Lit } from './rails.tsx'
import { Simulate } from './simulate.tsx'
import { FlowTable } from './table.tsx'
import { useBook } from './book.ts'

type Wrong = { path?: string; field?: string; text: string }
type Kept = { version: string; base: Paths; draft: Paths }

// Unsaved changes are kept in the tab's session storage, so that a visit to another page loses nothing.
const slot = (id: string) => 'flow ' + id
function kept(id: string): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(slot(id)) ?? 'null') as Kept | null
  } catch {
    return null
  }
}

const keys = [
  { key: 'A', text: t.flow.addPath },
  { key: 'Alt ↑ ↓', text: t.flow.order },
  { key: 'Ctrl S', text: t.flow.save },
  { key: 'S', text: t.flow.simulate },
]

// Flow edits where the visitors of a campaign go. The drawing shows the flow that would be saved.
export function Flow({ detail }: TabProps) {
  const c = detail.campaign,
    id = c.id,
    records = useBook(),
    { book } = records
  const [start] = useState(() => kept(id)),
    [base, setBase] = useState<Paths>(start?.base ?? detail.streams),
    [version, setVersion] = useState(start?.version ?? detail.version)
  const [draft, setDraft] = useState<Paths>(start?.draft ?? detail.streams),
    [view, setView] = useState<'rails' | 'table'>(innerWidth > 720 ? 'rails' : 'table')
  const [open, setOpen] = useState<string | null>(null),
    [wrong, setWrong] = useState<Wrong>(),
    [busy, setBusy] = useState(false),
    [lit, setLit] = useState<Lit>({}),
    [dialog, setDialog] = useState<'conflict' | 'save' | null>(null)
  const theirs = use('GET /campaigns/{id}/flow', {}, 20, { id }),
    figures = use('GET /reports/performance', { ...windowQuery(), dimension: 'stream_id', 'f.campaign_id': [id], limit: 200 }, 60)
  const list = useMemo(() => changes(base, draft, book.known), [base, draft, book]),
    dirty = list.length > 0,
    may = canWrite()
  const past = useRef(new Set<string>()),
    elsewhere = theirs.data && theirs.data.version !== version && !past.current.has(theirs.data.version)
  useEffect(() => {
    if (theirs.data?.version === version)
      past.current.clear() // until then, an answer from before the last save may still arrive
    else if (theirs.data && elsewhere && !dirty && !busy) {
      setBase(theirs.data.streams)
      setDraft(theirs.data.streams)
      setVersion(theirs.data.version)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a new answer may replace the flow
  }, [theirs.data])
  useEffect(() => {
    if (dirty) sessionStorage.setItem(slot(id), JSON.stringify({ version, base, draft }))
    else sessionStorage.removeItem(slot(id))
  }, [id, dirty, draft, base, version])
  const set = (next: Paths) => {
    setDraft(next)
    if (wrong) setWrong(undefined)
  }
  const order = tried(draft)
  const addPath = () => {
    const p = newPath(t.flow.pathName(draft.length + 1))
    set(add(draft, { ...p, stream_type: draft.length === 0 ? 'default' : 'regular' }))
    setOpen(p.id)
  }
  const move = (path: string, by: 1 | -1) => {
    const other = neighbour(draft, path, by)
    if (other) set(moveTo(draft, path, other.id))
  }
  const drop = (path: Path) => {
    const was = draft
    set(remove(draft, path.id))
    setOpen(null)
    toast(t.flow.removed(path.name), { undo: () => setDraft(was) })
  }
  const save = async (over?: string) => {
    if (busy || !dirty) return
    setBusy(true)
    setWrong(undefined)
    try {
      const got = await call('PUT /campaigns/{id}/flow', { path: { id }, body: { streams: toSend(draft) }, match: over ?? version })
      past.current.add(over ?? version)
      setBase(got.streams)
      setDraft(got.streams)
      setVersion(got.version)
      setOpen(null)
      setDialog(null)
      touches('campaigns')
      toast(t.flow.live)
    } catch (e) {
      const error = asError(e)
      if (error.code === 'stale') {
        theirs.again()
        setDialog('conflict')
      } else said(error)
    } finally {
      setBusy(false)
    }
  }
  const said = (e: ApiError) => {
    const at = placeOf(e.code, e.message, draft)
    setWrong({ ...at, text: t.flow.codes[e.code] ?? sentence(e) })
    if (at.path) setOpen(at.path)
  }
  const discard = () => {
    const was = draft
    setDraft(base)
    setWrong(undefined)
    toast(t.flow.discarded, { undo: () => setDraft(was) })
  }
  const take = () => {
    if (!theirs.data) return
    setBase(theirs.data.streams)
    setDraft(theirs.data.streams)
    setVersion(theirs.data.version)
    setWrong(undefined)
    setDialog(null)
  }
  useKeys(keys, e => {
    if (e.key === 'a' && may) {
      addPath()
      return true
    }
    if (e.key === 's') {
      document.querySelector<HTMLElement>('[data-simulate] button, [data-simulate] input')?.focus()
      return true
    }
  })
  useEffect(() => {
    const leave = (e: BeforeUnloadEvent) => {
      if (dirty) e.preventDefault()
    }
    addEventListener('beforeunload', leave)
    return () => removeEventListener('beforeunload', leave)
  }, [dirty])
  usePress(e => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      void save()
    }
  })
  const rows = new Map((figures.data?.rows ?? []).map(r => [r.dims.stream_id!, r])),
    total = figures.data?.rows.reduce((n, r) => n + r.clicks + r.bot_clicks, 0) ?? 0
  const share = (p: Path) => (total ? ((rows.get(p.id)?.clicks ?? 0) + (rows.get(p.id)?.bot_clicks ?? 0)) / total : null)
  const shown = open ? draft.find(p => p.id === open) : undefined
  const props = {
    flow: order,
    all: draft,
    book,
    share,
    total,
    lit,
    wrong,
    edit: setOpen,
    move,
    may,
    set: (path: string, change: Partial<Path>) => set(update(draft, path, change)),
    place: (a: string, b: string) => set(moveTo(draft, a, b)),
  }
  return (
    <>
      {elsewhere && dirty && (
        <p class="card notice row" role="alert">
          <span class="ico warn">
            <Icon name="warn" />
          </span>
          <span class="grow">{t.flow.elsewhere}</span>
          <button type="button" class="btn sm" onClick={() => setDialog('conflict')}>
            {t.flow.compare}
          </button>
        </p>
      )}
      <div class="flow">
        <div class="grid">
          <section class="card">
            <header class="ruled">
              <Seg
                label={t.flow.view}
                value={view}
                options={[
                  { value: 'rails', label: t.flow.rails },
                  { value: 'table', label: t.flow.table },
                ]}
                on={setView}
              />
              <span class="dim wide fine">
                {view === 'rails' ? (total ? t.flow.widthIs : t.flow.noFigures) : total ? '' : t.flow.noClicks}
              </span>
              <span class="grow" />
              {may && (
                <SavedFlows campaign={c.name} take={paths => set(paths.map(p => ({ ...p, id: newID() })))} save={() => setDialog('save')} />
              )}
              {may && (
                <button type="button" class="btn sm" onClick={addPath}>
                  <Icon name="plus" />
                  {t.flow.path}
                </button>
              )}
            </header>
            {draft.length === 0 ? (
              <div class="empty">
                <p>{c.destination_url ? t.flow.noPaths(c.destination_url) : t.flow.noPathsNowhere}</p>
                {may && (
                  <button type="button" class="btn primary" onClick={addPath}>
                    {t.flow.addPath}
                  </button>
                )}
              </div>
            ) : view === 'rails' ? (
              <Rails {...props} />
            ) : (
              <FlowTable {...props} />
            )}
          </section>
          <PathFigures rows={rows} flow={order} error={figures.error} again={figures.again} />
        </div>
        <Simulate campaign={c} draft={draft} book={book} sources={records.sources} light={setLit} said={said} />
      </div>
      {(dirty || (wrong && !wrong.path)) && (
        <div class="savebar" role="status">
          <span class="changes">
            {wrong && (
              <span class="bad" role="alert">
                {wrong.text}{' '}
              </span>
            )}
            <b>{t.flow.changes(list.length)}</b>{' '}
            <span class="dim">
              {t.flow.notLive}: {list.slice(0, 3).map(changeText).join(', ')}
              {list.length > 3 && ' …'}
            </span>
          </span>
          <button type="button" class="btn sm quiet" onClick={discard}>
            {t.parts.discard}
          </button>
          <button type="button" class="btn sm primary" disabled={busy} onClick={() => void save()}>
            {t.flow.save} <kbd class="wide">Ctrl S</kbd>
          </button>
        </div>
      )}
      {shown && (
        <PathSheet
          key={shown.id}
          path={shown}
          book={book}
          records={records}
          wrong={wrong?.path === shown.id ? wrong : undefined}
          may={may}
          on={change => set(update(draft, shown.id, change))}
          close={() => setOpen(null)}
          remove={() => drop(shown)}
          clone={() => {
            const p = copyOf(draft, shown, n => `${shown.name} ${n}`)
            set(add(draft, p))
            setOpen(p.id)
          }}
          self={id}
        />
      )}
      {dialog === 'conflict' && theirs.data && theirs.data.version !== version && (
        <Conflict
          base={base}
          theirs={theirs.data}
          draft={draft}
          book={book}
          busy={busy}
          keep={() => void save(theirs.data!.version)}
          take={take}
          close={() => setDialog(null)}
        />
      )}
      {dialog === 'save' && <SaveAs paths={toSend(draft)} name={c.name} close={() => setDialog(null)} />}
    </>
  )
}

// SavedFlows replaces the draft by a saved flow, or saves the current flow for other campaigns.
function SavedFlows({ take, save }: { campaign: string; take: (p: Paths) => void; save: () => void }) {
  const flows = useFlows()
  return (
    <Menu
      kind="btn sm quiet"
      name={t.flow.saved}
      label={
        <>
          {t.flow.saved}
          <Icon name="down" />
        </>
      }>
      {close => (
        <>
          <Item close={close} on={save}>
            {t.flow.saveAs}
          </Item>
          {flows?.map(f => (
            <Item
              key={f.id}
              on={() => {
                close()
                try {
                  take(f.paths)
                } catch (e) {
                  failed(e)
                }
              }}>
              {f.name}
              <span class="grow" />
              <span class="dim">{t.flow.paths(f.path_count)}</span>
            </Item>
          ))}
          {flows?.length === 0 && <p class="dim none">{t.campaigns.noFlows}</p>}
        </>
      )}
    </Menu>
  )
}
