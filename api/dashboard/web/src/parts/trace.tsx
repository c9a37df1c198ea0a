import type { RouteDecision, RouteStage, RouteUnit, TestStep } from '../api.gen.ts'
import { attributeName, operatorName, sentenceOf } from '../core/condition.ts'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'

// Names maps the ids of records to their names.
export type Names = Record<string, string>

// Trace shows how a visitor was routed: each path that was checked, and the conditions that decided.
export function Trace({ campaigns, decision, names }: { campaigns: RouteStage[]; decision: RouteDecision | null; names: Names }) {
  return (
    <ol class="trace-list">
      {campaigns.map((stage, n) => (
        <>
          {campaigns.length > 1 && (
            <li key={'c' + n} class="dim stage">
              {stage.campaign}
            </li>
          )}
          {stage.steps.map(s => (
            <li key={n + s.path_id} class={'step ' + (s.taken ? 'yes' : 'no')}>
              <span class="mark">
                <Icon name={s.taken ? 'check' : 'x'} />
              </span>
              <div>
                <div class="strong">
                  {s.path}
                  <span class="hidden"> {s.taken ? t.trace.taken : t.trace.passed}</span>
                </div>
                {s.taken || s.reason === 'conditions' ? (
                  <Units list={s.units} logic={s.logic} />
                ) : (
                  <div class="soft">{t.trace.reasons[s.reason ?? ''] ?? s.reason}</div>
                )}
              </div>
              <span class="dim fine">{t.trace.via[s.via] ?? s.via}</span>
            </li>
          ))}
          {!stage.steps.some(s => s.taken) && (
            <li key={'f' + n} class="step yes">
              <span class="mark">
                <Icon name="check" />
              </span>
              <div>
                <div class="strong">{t.trace.fallbacks[stage.via] ?? stage.via}</div>
              </div>
              <span />
            </li>
          )}
        </>
      ))}
      {decision?.lander_id && <Drawn name={names[decision.lander_id]} what={t.trace.lander} />}
      {decision?.offer_id && <Drawn name={names[decision.offer_id]} what={t.trace.offer} />}
    </ol>
  )
}

const Drawn = ({ name, what }: { name?: string; what: string }) => (
  <li class="step yes">
    <span class="mark">
      <Icon name="check" />
    </span>
    <div>
      <div class="strong">{name ?? t.gone}</div>
      <div class="soft">{what}</div>
    </div>
    <span class="dim fine">{t.trace.drawn}</span>
  </li>
)

// Units shows the conditions that decided. If the path was taken, these are the conditions that held. Otherwise they are the
// conditions that did not hold.
function Units({ list, logic }: { list: RouteUnit[]; logic: string }) {
  const findings = list.flatMap(u => u.conditions.map(c => ({ ...c, rule: u.rule })))
  if (findings.length === 0) return <div class="soft">{t.trace.everybody}</div>
  const taken = logic === 'or' ? list.some(u => u.matched) : list.every(u => u.matched)
  const shown = findings.filter(f => f.matched === taken)
  return (
    <>
      {(shown.length ? shown : findings).slice(0, 6).map((f, i) => {
        const s = sentenceOf(f),
          value = (f.attribute === 'device_type' && t.devices[f.seen]) || f.seen,
          seen = f.known ? value || t.trace.blank : t.unknown
        return (
          <div key={i} class="soft">
            <b>{attributeName(f.attribute)}</b> {f.matched ? t.trace.holds(seen) : t.trace.fails(seen, operatorName(f.operator), s.joined)}
          </div>
        )
      })}
    </>
  )
}

// TestSteps shows what a test did, step by step, and whether each step went well.
export const TestSteps = ({ of: steps, names = {} }: { of: TestStep[]; names?: Names }) => (
  <ol class="trace-list">
    {steps.map(s => (
      <li key={s.step} class={'step ' + (s.ok ? 'yes' : 'no')}>
        <span class="mark">
          <Icon name={s.ok ? 'check' : 'x'} />
        </span>
        <div>
          <div class="strong">
            {names[s.step] ?? s.step}
            <span class="hidden"> {s.ok ? t.link.ok : t.link.notOk}</span>
          </div>
          <div class="soft wrap">{s.detail}</div>
        </div>
        <span />
      </li>
    ))}
  </ol>
)
