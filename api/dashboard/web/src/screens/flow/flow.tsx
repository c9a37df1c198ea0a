import { useState } from 'preact/hooks'
import type { Path } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { newID } from '../../core/id.ts'
import { canWrite } from '../../core/can.ts'
import { useFlows } from '../../core/choices.ts'
import { useKeys, usePress } from '../../core/keys.ts'
import { use } from '../../core/query.ts'
import { place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { flowWords, simulateWords } from '../../text/flow.ts'
import { windowQuery } from '../../core/window.ts'
import { moveTo, toSend, tried, type Flow as Paths } from './edit.ts'
import { changeText } from './text.ts'
import { CompareButton } from '../../parts/compare.tsx'
import { Seg } from '../../parts/form.tsx'
import { Icon, Sign } from '../../parts/icons.tsx'
import { Loading } from '../../parts/state.tsx'
import { Item, Menu } from '../../parts/menu.tsx'
import type { TabProps } from '../../core/campaign.ts'
import { BlockedLine } from './blocked.tsx'
import { useDraft } from './draft.ts'
import { Conflict, PathFigures, SaveAs } from './more.tsx'
import { PathSheet } from './path.tsx'
import { Rails, type Lit } from './rails.tsx'
import { Simulate } from './simulate.tsx'
import { FlowTable } from './table.tsx'
import { useBook } from './book.ts'

const keys = [
  { key: 'A', text: flowWords.addPath },
  { key: 'Alt ↑ ↓', text: flowWords.order },
  { key: t.ctrl + ' S', text: flowWords.save },
  { key: 'S', text: flowWords.simulate },
]

// Flow edits where the visitors of a campaign go. The drawing shows the flow that would be saved.
export function Flow({ detail }: TabProps) {
  const c = detail.campaign,
    records = useBook(),
    { book } = records,
    d = useDraft(detail, book.known),
    { draft, wrong, dialog } = d,
    [view, setView] = useState<'rails' | 'table'>(innerWidth > 720 ? 'rails' : 'table'),
    [lit, setLit] = useState<Lit>({}),
    panel = usePanel(),
    may = canWrite()
  const figures = use('GET /reports/performance', { ...windowQuery(), dimension: 'stream_id', 'f.campaign_id': [c.id], limit: 200 }, 60),
    rows = new Map((figures.data?.rows ?? []).map(r => [r.dims.stream_id!, r])),
    clicks = (id: string) => (rows.get(id)?.clicks ?? 0) + (rows.get(id)?.bot_clicks ?? 0),
    total = [...rows.keys()].reduce((n, id) => n + clicks(id), 0)
  useKeys(keys, e => {
    if (e.key === 'a' && may) {
      d.addPath()
      return true
    }
    if (e.key === 's') {
      panel.show(true)
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-simulate] button, [data-simulate] input')?.focus())
      return true
    }
  })
  usePress(e => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      void d.save()
    }
  })
  const order = tried(draft),
    shown = draft.find(p => p.id === d.open)
  const props = {
    flow: order,
    all: draft,
    book,
    share: (p: Path) => (total ? clicks(p.id) / total : null),
    total,
    lit,
    wrong,
    edit: d.setOpen,
    move: d.move,
    may,
    set: d.change,
    covered: d.covered,
    place: (a: string, b: string) => d.set(moveTo(draft, a, b)),
  }
  return (
    <>
      {d.elsewhere && d.dirty && (
        <p class="card notice row" role="alert">
          <Sign name="warn" tone="warn" />
          <span class="grow">{flowWords.elsewhere}</span>
          <Button look="sm" onClick={() => d.setDialog('conflict')} text={flowWords.compare} />
        </p>
      )}
      <div class={panel.shown ? 'flow' : 'flow alone'}>
        <div class="grid">
          <section class="card">
            <header class="ruled">
              <Seg
                label={flowWords.view}
                value={view}
                options={[
                  { value: 'rails', label: flowWords.rails },
                  { value: 'table', label: flowWords.table },
                ]}
                on={setView}
              />
              <span class="dim wide fine cut">
                {view === 'rails' ? (total ? flowWords.widthIs : flowWords.noFigures) : total ? '' : flowWords.noClicks}
              </span>
              <span class="grow" />
              <Button
                look={'sm quiet' + (panel.shown ? ' on' : '')}
                icon="play"
                aria-pressed={panel.shown}
                onClick={() => {
                  panel.show(!panel.shown)
                  setLit({})
                }}
                text={simulateWords.title}
              />
              <CompareButton look="sm quiet" id={c.id} by="stream" />
              {may && (
                <>
                  <SavedFlows adopt={paths => d.set(paths.map(p => ({ ...p, id: newID() })))} save={() => d.setDialog('save')} />
                  <Button look="sm" onClick={d.addPath} icon="plus" text={flowWords.path} />
                </>
              )}
            </header>
            <BlockedLine campaign={c} />
            {draft.length === 0 ? (
              <div class="empty">
                <p>{c.destination_url ? flowWords.noPaths(c.destination_url) : flowWords.noPathsNowhere}</p>
                {may && <Button look="primary" onClick={d.addPath} text={flowWords.addPath} />}
              </div>
            ) : records.waits ? (
              <Loading of={{ error: undefined, again: () => undefined }} height={260} />
            ) : view === 'rails' ? (
              <Rails {...props} />
            ) : (
              <FlowTable {...props} />
            )}
          </section>
          <PathFigures rows={rows} flow={order} error={figures.error} again={figures.again} />
        </div>
        {panel.shown && (
          <Simulate campaign={c} draft={draft} book={book} sources={records.sources} light={setLit} showError={d.showError} />
        )}
      </div>
      {(d.dirty || (wrong && !wrong.path)) && <SaveBar of={d} />}
      {shown && (
        <PathSheet
          key={shown.id}
          path={shown}
          book={book}
          records={records}
          wrong={wrong?.path === shown.id ? wrong : undefined}
          covered={d.covered(shown.id)}
          lift={() => d.lift(shown.id)}
          may={may}
          on={change => d.change(shown.id, change)}
          close={() => d.setOpen(null)}
          remove={() => d.removePath(shown)}
          clone={() => d.clone(shown)}
          self={c.id}
        />
      )}
      {dialog === 'conflict' && d.theirs && <Conflict of={d} theirs={d.theirs} book={book} />}
      {dialog === 'save' && <SaveAs paths={toSend(draft)} name={c.name} close={() => d.setDialog(null)} />}
    </>
  )
}

// usePanel keeps whether the simulator is shown, also for later visits in this browser. A link that names a visitor always shows it.
function usePanel() {
  const name = 'simulator',
    [shown, setShown] = useState(place.value.query.has('visitor') || localStorage.getItem(name) !== 'off')
  const show = (on: boolean) => {
    setShown(on)
    localStorage.setItem(name, on ? 'on' : 'off')
  }
  return { shown, show }
}

// SaveBar lists unsaved changes, and saves or discards them.
const SaveBar = ({ of: d }: { of: ReturnType<typeof useDraft> }) => (
  <div class="savebar" role="status">
    <span class="changes">
      {d.draft.map(p => {
        const by = d.covered(p.id)
        return (
          by && (
            <span key={p.id} class="warn block">
              {flowWords.unreached(p.name, by.name)}
            </span>
          )
        )
      })}
      {d.wrong && (
        <span class="bad" role="alert">
          {d.wrong.text}{' '}
        </span>
      )}
      <b>{flowWords.changes(d.list.length)}</b>{' '}
      <span class="dim">
        {flowWords.notLive}: {d.list.slice(0, 3).map(changeText).join(', ')}
        {d.list.length > 3 && ' …'}
      </span>
    </span>
    <Button look="sm quiet" onClick={d.discard} text={t.parts.discard} />
    <button type="button" class="btn sm primary" disabled={d.busy} onClick={() => void d.save()}>
      {flowWords.save} <kbd class="wide">{t.ctrl} S</kbd>
    </button>
  </div>
)

// SavedFlows replaces the draft by a saved flow, or saves the current flow for other campaigns.
function SavedFlows({ adopt, save }: { adopt: (p: Paths) => void; save: () => void }) {
  const flows = useFlows()
  return (
    <Menu
      kind="btn sm quiet"
      name={flowWords.saved}
      label={
        <>
          {flowWords.saved}
          <Icon name="down" />
        </>
      }>
      {close => (
        <>
          <Item close={close} on={save}>
            {flowWords.saveAs}
          </Item>
          {flows?.map(f => (
            <Item key={f.id} close={close} on={() => adopt(f.paths)}>
              {f.name}
              <span class="grow" />
              <span class="dim">{flowWords.paths(f.path_count)}</span>
            </Item>
          ))}
          {flows?.length === 0 && <p class="dim none">{t.campaigns.noFlows}</p>}
        </>
      )}
    </Menu>
  )
}
