import { useEffect, useState } from 'preact/hooks'
import type { ConfigItem, ConfigPlan } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { count } from '../../core/format.ts'
import { task } from '../../core/jobs.ts'
import { touches, use } from '../../core/query.ts'
import { Seg, Switch } from '../../parts/form.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Alert, Failed, Loading } from '../../parts/state.tsx'
import { w } from '../../text/config.ts'
import { Notes } from './notes.tsx'

const atWork = ['making', 'applying', 'undoing']

// Plan shows what a plan does, how far it has been applied, and the buttons that apply and undo it.
export function Plan({ id }: { id: string }) {
  const [every, setEvery] = useState(1),
    { data: plan, error, again } = use('GET /config/plans/{id}', {}, every, { id })
  const running = !plan || atWork.includes(plan.state)
  useEffect(() => setEvery(running ? 1 : 0), [running])
  if (!plan)
    return (
      <Card title={w.plan}>
        <Loading of={{ error, again }} height={120} />
      </Card>
    )
  const judged = plan.state !== 'making' && plan.state !== 'refused' // in these two states, the items are not known
  return (
    <Card title={w.plan} note={w.states[plan.state]}>
      <div class="part">
        {judged && <p>{w.counts(plan.counts)}</p>}
        {running && (
          <div role="status">
            <span class="dim">{plan.progress || (plan.work > 0 ? w.done(count(plan.done), count(plan.work)) : w.states[plan.state])}</span>
            <div class="meter" aria-hidden="true">
              <i style={`width:${(plan.done / Math.max(1, plan.work)) * 100}%`} />
            </div>
          </div>
        )}
        {plan.problem && <Alert text={plan.problem} />}
        {canWrite() && <Acts of={plan} again={again} />}
      </div>
      <Notes of={plan} />
      {judged && <Items of={plan} />}
    </Card>
  )
}

function Acts({ of: plan, again }: { of: ConfigPlan; again: () => void }) {
  const [asking, setAsking] = useState<'apply' | 'undo'>(),
    [skip, setSkip] = useState(false),
    [kept, setKept] = useState<string[]>([]),
    { busy, wrong: error, run } = useAttempt(asError)
  const refused = plan.counts.refused ?? 0
  const act = (what: 'apply' | 'undo') =>
    run(async () => {
      try {
        const row = what === 'apply' ? 'POST /config/apply' : 'POST /config/undo'
        const body = { plan_id: plan.plan_id, ...(what === 'apply' && skip ? { skip_refused: true } : {}) }
        const done = await task(w[what], row, { body }, a => ({ text: w.wrote(a.done, count(a.done)) }))
        setKept(done.kept)
      } finally {
        touches('config', 'campaigns', 'offers', 'landers', 'networks', 'traffic-sources', 'domains')
        again()
      }
    })
  return (
    <>
      {plan.state === 'planned' && refused > 0 && <Switch on={skip} set={setSkip} label={w.skip(refused, count(refused))} shown />}
      <div class="row wraps">
        {plan.state === 'planned' && plan.work > 0 && (
          <Button
            look="primary"
            disabled={busy || (refused > 0 && !skip)}
            onClick={() => setAsking('apply')}
            text={w.applyN(count(plan.work))}
          />
        )}
        {(plan.state === 'applied' || plan.state === 'stopped') && (
          <Button disabled={busy} onClick={() => setAsking('undo')} text={w.undo} />
        )}
      </div>
      {error && <Failed error={error} again={again} />}
      {kept.length > 0 && (
        <div role="status">
          <p class="warn">{w.kept}</p>
          <ul>
            {kept.slice(0, 50).map(k => (
              <li key={k}>{k}</li>
            ))}
          </ul>
        </div>
      )}
      {asking && (
        <Ask
          title={w[asking]}
          text={w.askText[asking]}
          go={w[asking]}
          close={() => setAsking(undefined)}
          on={() => {
            void act(asking)
          }}
        />
      )}
    </>
  )
}

type Op = ConfigItem['op']
const looks: Partial<Record<Op, string>> = { refused: 'bad', delete: 'warn', archive: 'warn' }

// Items lists what a plan does with each record, one operation at a time.
function Items({ of: plan }: { of: ConfigPlan }) {
  const ops = (['refused', 'create', 'change', 'delete', 'archive', 'same'] as Op[]).filter(op => plan.counts[op]),
    [chosen, setChosen] = useState<Op>(),
    op = chosen && ops.includes(chosen) ? chosen : ops[0],
    [rows, setRows] = useState<ConfigItem[]>(),
    [next, setNext] = useState<number | null>(null),
    { busy, wrong: error, run } = useAttempt(asError)
  const load = (position: number, before: ConfigItem[]) =>
    run(async () => {
      const got = await call('GET /config/plans/{id}/items', { path: { id: plan.plan_id }, query: { op, position, limit: 100 } })
      setRows([...before, ...got.rows])
      setNext(got.next)
    })
  useEffect(() => {
    setRows(undefined)
    if (op) void load(0, [])
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only another op or state makes a new load necessary
  }, [op, plan.state])
  if (!op) return <p class="dim part">{w.nothing}</p>
  return (
    <div class="part">
      <Seg
        label={w.ops}
        value={op}
        options={ops.map(value => ({ value, label: `${w.opNames[value]} ${count(plan.counts[value]!)}` }))}
        on={setChosen}
      />
      {error && <Failed error={error} again={() => void load(0, [])} />}
      <ul class="list">
        {rows?.map(i => (
          <li key={i.position}>
            <div class="grow">
              <div class="t">
                <span class="dim">{w.kinds[i.kind] ?? i.kind}</span> {i.name} {i.done && <span class="good">{w.written}</span>}
              </div>
              {[...i.errors.map(text => ({ text, look: looks[i.op] })), ...i.warnings.map(text => ({ text, look: 'warn' }))].map(m => (
                <div key={m.text} class={'d wrap ' + (m.look ?? '')}>
                  {m.text}
                </div>
              ))}
              {i.fields.slice(0, 20).map(f => (
                <div key={f.path} class="d wrap mono">
                  {f.path}: {displayText(f.was)} → {displayText(f.is)}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {next !== null && <Button disabled={busy} onClick={() => void load(next, rows ?? [])} text={w.more} />}
    </div>
  )
}

const displayText = (v: unknown) =>
  v === null || v === undefined ? w.byDefault : typeof v === 'string' ? v : JSON.stringify(v).slice(0, 200)
