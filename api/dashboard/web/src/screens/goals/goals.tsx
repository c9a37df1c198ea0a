import { useState } from 'preact/hooks'
import type { GoalList, GoalRow, GoalSuggested, Site } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Part } from '../../parts/card.tsx'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago } from '../../core/dates.ts'
import { amount, count, money } from '../../core/format.ts'
import { asWritten } from '../../core/idn.ts'
import { useKeys } from '../../core/keys.ts'
import { touches, use } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/goals.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Select, Switch } from '../../parts/form.tsx'
import { RowMenu } from '../../parts/menu.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Empty, LoadingCard, EmptyCard, NoPlan } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import { Uncounted } from '../../parts/uncounted.tsx'
import { Two } from '../../parts/two.tsx'
import { bodyOf, GoalForm, SiteForm } from './forms.tsx'
import { Install, LiveTest } from './install.tsx'

const every = 3 // seconds between reloads

// Goals shows the goals that visitors reach on the customer's own pages, their values, and how pages and servers report them.
export function Goals() {
  const q = place.value.query,
    site = q.get('site') ?? undefined,
    { data, error, again } = use('GET /goals', { site }, every),
    may = canWrite() && !!data?.planIncludes
  const [editedGoal, setEditedGoal] = useState<GoalRow | GoalSuggested | 'new' | null>(null),
    [editedSite, setEditedSite] = useState<Site | 'new' | null>(q.get('add') ? 'new' : null)
  useKeys([{ key: 'N', text: w.add }], e => {
    if (e.key === 'n' && may && data?.site) {
      setEditedGoal('new')
      return true
    }
  })
  if (!data) return <LoadingCard of={{ error, again }} height={360} />
  const closeSite = () => {
    setEditedSite(null)
    change({ add: null }, true)
  }
  const addSite = may && <Button onClick={() => setEditedSite('new')} icon="plus" text={w.addSite} />
  return (
    <>
      {!data.planIncludes && <NoPlan text={w.noPlan} link={w.toPlan} />}
      {!data.site ? (
        <EmptyCard title={w.emptySite} more={w.emptySiteMore}>
          {addSite}
        </EmptyCard>
      ) : (
        <>
          <div class="line filters">
            <Select
              label={t.campaigns.fields.site}
              value={data.site.id}
              options={data.sites.map(s => ({ value: s.id, label: s.name + (s.isActive ? '' : ` (${w.off})`) }))}
              on={id => change({ site: id })}
            />
            <span class="dim">
              {w.kinds[data.site.kind]}
              {data.site.domain && ` · ${asWritten(data.site.domain)}`}
            </span>
            {may && <SiteMenu of={data.site} edit={() => setEditedSite(data.site)} />}
            <span class="grow" />
            {addSite}
            {may && <Button look="primary" onClick={() => setEditedGoal('new')} icon="plus" text={w.add} letter="N" />}
          </div>
          <div class="grid goals cols">
            <div class="grid">
              <Totals of={data} />
              <Uncounted />
              <List of={data} may={may} edit={setEditedGoal} />
              {may && <Suggested rows={data.suggested} edit={setEditedGoal} />}
              <Products of={data} />
            </div>
            <div class="grid">
              <LiveTest key={data.site.id} of={data.live} />
              <Install of={data} may={may} />
            </div>
          </div>
        </>
      )}
      {editedGoal && data.site && (
        <GoalForm of={editedGoal === 'new' ? null : editedGoal} site={data.site} close={() => setEditedGoal(null)} />
      )}
      {editedSite && (
        <SiteForm
          of={editedSite === 'new' ? null : editedSite}
          first={data.sites.length === 0}
          close={closeSite}
          made={id => change({ site: id })}
        />
      )}
    </>
  )
}

function SiteMenu({ of: s, edit }: { of: Site; edit: () => void }) {
  const [question, ask] = useAsk()
  const remove = async () => {
    await call('DELETE /sites', { query: { id: s.id } })
    change({ site: null })
    toastAndReload(recordWords.removed(s.name), 'goals', 'sites', 'campaigns')
  }
  const askToRemove = () =>
    ask({ title: t.exports.removeOf(s.name), text: w.removeSiteText, go: t.lists.remove, danger: true, name: s.name, on: remove })
  return (
    <>
      <RowMenu
        name={w.siteActions}
        actions={[
          { label: w.editSite, on: edit },
          { label: w.removeSite, bad: true, on: askToRemove },
        ]}
      />
      {question}
    </>
  )
}

const Totals = ({ of: { siteTotals: s } }: { of: GoalList }) => (
  <section class="card kpis">
    {(['events', 'views', 'clicks', 'orders', 'conversions'] as const).map(n => (
      <div key={n} class="kpi">
        <span>{w.figures[n]}</span>
        <b>{count(s[n])}</b>
      </div>
    ))}
    <div class="kpi">
      <span>{w.figures.revenue}</span>
      <b>{money(s.revenue)}</b>
    </div>
  </section>
)

function List({ of: data, may, edit }: { of: GoalList; may: boolean; edit: (g: GoalRow | 'new') => void }) {
  const [question, ask] = useAsk()
  const setActive = (g: GoalRow, on: boolean) =>
    call('PUT /goals', { body: { ...bodyOf(g), isActive: on } }).then(() => touches('goals'), failed)
  const remove = (g: GoalRow) =>
    call('DELETE /goals', { query: { key: g.key, site: g.siteId } }).then(() => toastAndReload(recordWords.removed(g.name), 'goals'))
  const askToRemove = (g: GoalRow) =>
    ask({ title: t.exports.removeOf(g.name), text: w.removeText, go: t.lists.remove, danger: true, name: g.name, on: () => remove(g) })
  const columns: Column<GoalRow>[] = [
    {
      name: 'name',
      label: t.conversions.goal,
      left: true,
      phone: true,
      kind: 'first',
      cell: g => (
        <span class="named">
          <span class="row">
            <span class="cut strong" title={g.name}>
              {g.name}
            </span>
            {g.isPrimary && <span class="tag accent">{w.isPrimary}</span>}
          </span>
          <small class="dim cut mono">{g.kind === 'page' ? g.matchPath : g.key}</small>
        </span>
      ),
    },
    {
      name: 'active',
      label: t.lists.states.active!,
      left: true,
      phone: true,
      kind: 'state',
      cell: g => <Switch on={g.isActive} label={t.lists.activeOf(g.name)} disabled={!may} set={on => void setActive(g, on)} />,
    },
    {
      name: 'dedupe',
      label: w.dedupe,
      left: true,
      cell: g => (
        <Two
          a={w.dedupes[g.dedupe]!}
          b={g.valueMode === 'fixed' ? amount(g.value, g.currency || data.currency) : w.valueModes[g.valueMode]!}
        />
      ),
    },
    { name: 'events', label: w.figures.events!, cell: g => count(g.events) },
    { name: 'conversions', label: t.figures.names.conversions, phone: true, cell: g => count(g.conversions) },
    { name: 'revenue', label: t.figures.names.revenue, cell: g => money(g.revenue) },
    { name: 'last', label: w.last, cell: g => (g.lastAt ? ago(g.lastAt) : <span class="dim">{w.never}</span>) },
    {
      name: 'acts',
      label: '',
      phone: true,
      kind: 'more',
      cell: g =>
        may && (
          <RowMenu
            name={t.lists.actionsOf(g.name)}
            actions={[
              { label: w.edit, on: () => edit(g) },
              { label: t.lists.remove, bad: true, on: () => askToRemove(g) },
            ]}
          />
        ),
    },
  ]
  return (
    <Card look="report lists" title={t.campaigns.fields.goals} note={w.days(data.days)}>
      {data.goals.length === 0 ? (
        <Empty title={w.emptyGoals} more={w.emptyGoalsMore}>
          {may && <Button onClick={() => edit('new')} icon="plus" text={w.add} />}
        </Empty>
      ) : (
        <Table
          label={t.campaigns.fields.goals}
          rows={data.goals}
          columns={columns}
          keyOf={g => g.id}
          nameOf={g => g.name}
          height={44}
          onOpen={may ? edit : undefined}
          rowClass={g => (g.isActive ? '' : 'faded')}
        />
      )}
      {question}
    </Card>
  )
}

// Suggested lists goals that the site could have, from events that were received and from usual goals.
const Suggested = ({ rows, edit }: { rows: GoalSuggested[]; edit: (g: GoalSuggested) => void }) =>
  rows.length === 0 ? null : (
    <section class="card">
      <header>
        <h2>{w.suggested}</h2>
        <span class="dim fine wide">{w.suggestedText}</span>
      </header>
      <ul class="list">
        {rows.map(g => (
          <li key={g.key}>
            <div class="grow">
              <div class="t">{g.name}</div>
              <div class="d wrap">
                <code class="mono">{g.kind === 'page' ? g.matchPath : g.key}</code> ·{' '}
                {g.events ? w.seen(g.events, count(g.events)) : w.usual}
              </div>
            </div>
            <Button look="sm" aria-label={w.take(g.name)} onClick={() => edit(g)} text={w.takeShort} />
          </li>
        ))}
      </ul>
    </section>
  )

// Products lists what visitors bought on the pages of a site.
const Products = ({ of: data }: { of: GoalList }) =>
  data.products.length === 0 ? null : (
    <Part look="card" title={w.products}>
      <PlainTable label={w.products} heads={[w.product, w.figures.orders, w.quantity, t.figures.names.revenue]}>
        {data.products.map(p => (
          <tr key={p.sku + p.currency}>
            <td title={p.sku}>{p.name || p.sku}</td>
            <td>{count(p.orders)}</td>
            <td>{count(p.quantity)}</td>
            <td>{amount(p.revenue, p.currency)}</td>
          </tr>
        ))}
      </PlainTable>
    </Part>
  )
