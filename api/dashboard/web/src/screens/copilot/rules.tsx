import { useState } from 'preact/hooks'
import type { CopilotRule } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { use, useAll } from '../../core/query.ts'
import { dimensionName, useScopeNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Switch } from '../../parts/form.tsx'
import { RowMenu } from '../../parts/menu.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/copilot.ts'
import { conditionsText, figuresText } from './text.ts'
import { RuleForm } from './rule.tsx'

type Dialog = { kind: 'edit'; rule?: CopilotRule } | { kind: 'runs'; rule: CopilotRule }

const patch = (r: CopilotRule, body: object) =>
  call('PATCH /copilot/rules', { body: { id: r.id, ...body } }).then(() => toastAndReload(w.ruleSaved(r.name), 'copilot'))

// Rules lists the rules, which change campaigns automatically or alert. A rule that is made here begins in shadow mode.
export function Rules() {
  const { rows, error, again } = useAll('GET /copilot/rules', {}),
    [dialog, setDialog] = useState<Dialog>(),
    may = canWrite(),
    close = () => setDialog(undefined)
  return (
    <>
      <Card
        title={w.tabs.rules}
        beside={
          may && rows?.length !== 0 && <Button look="primary" onClick={() => setDialog({ kind: 'edit' })} icon="plus" text={w.addRule} />
        }>
        <p class="soft part rulestext">{w.rulesText}</p>
        {!rows ? (
          <Loading of={{ error, again }} height={140} />
        ) : rows.length === 0 ? (
          <Empty title={w.noRules}>{may && <Button look="primary" onClick={() => setDialog({ kind: 'edit' })} text={w.addRule} />}</Empty>
        ) : (
          <ul class="list history">
            {rows.map(r => (
              <Rule key={r.id} of={r} may={may} open={setDialog} />
            ))}
          </ul>
        )}
      </Card>
      {dialog?.kind === 'edit' && <RuleForm of={dialog.rule} close={close} />}
      {dialog?.kind === 'runs' && <Runs of={dialog.rule} close={close} />}
    </>
  )
}

function Rule({ of: r, may, open }: { of: CopilotRule; may: boolean; open: (d: Dialog) => void }) {
  const last = r.last_run,
    [question, ask] = useAsk(),
    names = useScopeNames(r.campaign_ids, r.source_ids),
    action = w.actions[r.action] ?? r.action
  const askToGoLive = () => ask({ title: w.liveTitle, text: w.liveText(r.name), go: w.toLive, on: () => patch(r, { mode: 'live' }) })
  const remove = () => call('DELETE /copilot/rules', { query: { id: r.id } }).then(() => toastAndReload(w.ruleRemoved(r.name), 'copilot'))
  const askToRemove = () => ask({ title: w.removeTitle, text: w.removeText(r.name), go: t.lists.remove, danger: true, on: remove })
  return (
    <li>
      <Switch on={r.is_active} label={w.activeOf(r.name)} disabled={!may} set={on => void patch(r, { is_active: on }).catch(failed)} />
      <div class="grow">
        <div class="row wraps">
          <b class="wrap">{r.name}</b>
          <span class={'tag ' + (r.mode === 'live' ? 'good' : '')}>{w[r.mode === 'live' ? 'live' : 'shadow']}</span>
        </div>
        <div class="wrap">
          {(w.levels[r.looks_at] ?? r.looks_at) + (r.attribute ? ' ' + dimensionName(r.attribute, names) : '')} · {w.when}{' '}
          {conditionsText(r.conditions)} · {action}
        </div>
        <div class="d wrap">
          {w.every(r.every_minutes)} ·{' '}
          {last
            ? `${w.lastRun} ${ago(last.at)}: ${[last.outcome === 'done' ? '' : (w.outcomes[last.outcome] ?? last.outcome), w.ran(last.done, last.matched, last.looked)].filter(Boolean).join(', ')}`
            : w.noRun}
        </div>
      </div>
      <Button look="sm" aria-label={`${w.runs}: ${r.name}`} onClick={() => open({ kind: 'runs', rule: r })} text={w.runs} />
      {may && (
        <RowMenu
          name={t.lists.actionsOf(r.name)}
          actions={[
            { label: t.lists.edit, on: () => open({ kind: 'edit', rule: r }) },
            r.mode === 'live'
              ? { label: w.toShadow, on: () => void patch(r, { mode: 'shadow' }).catch(failed) }
              : { label: w.toLive, on: askToGoLive },
            { label: t.lists.remove, bad: true, on: askToRemove },
          ]}
        />
      )}
      {question}
    </li>
  )
}

// Runs lists the latest recorded runs of a rule. A run that matches nothing is recorded only if it fails or needs too many clicks.
function Runs({ of: r, close }: { of: CopilotRule; close: () => void }) {
  const { data, error, again } = use('GET /copilot/rules/{id}/runs', { limit: 50 }, 0, { id: r.id })
  return (
    <Sheet side reads title={`${w.runs}: ${r.name}`} close={close}>
      <div class="body">
        {!data ? (
          <Loading of={{ error, again }} height={160} style="" />
        ) : data.rows.length === 0 ? (
          <Empty title={w.noRuns} />
        ) : (
          <ul class="list history">
            {data.rows.map(run => (
              <li key={run.id}>
                <div class="grow">
                  <div class="row wraps">
                    <b>{dateTime(run.at)}</b>
                    <span class="tag">{w.outcomes[run.outcome] ?? run.outcome}</span>
                    <span class="dim fine">{w.ran(run.done, run.matched, run.looked)}</span>
                  </div>
                  <ul class="items">
                    {run.items.map((o, i) => (
                      <li key={i}>
                        <span class="wrap strong">{o.of}</span> <span class="tag">{w.itemOutcomes[o.outcome] ?? o.outcome}</span>
                        <div class="d wrap">{[figuresText(o.figures), o.why].filter(Boolean).join(' · ')}</div>
                      </li>
                    ))}
                  </ul>
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Sheet>
  )
}
