import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import type { RouteDecision, RouteStage, RouteUnit, TestStep } from '../api.gen.ts'
import { attributeName, operatorName, sentenceOf } from '../core/condition.ts'
import { Named } from '../core/subs.ts'
import { t } from '../core/text.ts'
import { w as said } from '../text/steps.ts'
import { Icon } from './icons.tsx'

export type Names = Record<string, string>

// Trace shows how a visitor was routed: each path that was checked, and the conditions that decided.
export function Trace({ campaigns, decision, names }: { campaigns: RouteStage[]; decision: RouteDecision | null; names: Names }) {
  const subs = useContext(Named)
  return (
    <ol class="trace-list">
      {campaigns.map((stage, n) => (
        <>
          {campaigns.length > 1 && (
            <li key={'c' + n} class="dim stage">
              {stage.campaign}
            </li>
          )}
          {stage.blocked && (
            <Step key={'b' + n} ok={false} name={t.trace.blocked} says={t.trace.passed} side={t.trace.scopes[stage.blocked.scope]}>
              <div class="soft">
                <b>{attributeName(stage.blocked.dimension, subs)}</b> {t.trace.holds(stage.blocked.value)}
              </div>
            </Step>
          )}
          {stage.steps.map(s => (
            <Step
              key={n + s.path_id}
              ok={s.taken}
              name={s.path}
              says={s.taken ? t.trace.taken : t.trace.passed}
              side={t.trace.via[s.via] ?? s.via}>
              {s.taken || s.reason === 'conditions' ? (
                <Units list={s.units} logic={s.logic} />
              ) : (
                <div class="soft">{t.trace.reasons[s.reason ?? ''] ?? s.reason}</div>
              )}
            </Step>
          ))}
          {!stage.steps.some(s => s.taken) && (
            <Step key={'f' + n} ok name={(stage.blocked ? t.trace.instead : t.trace.fallbacks)[stage.via] ?? stage.via} />
          )}
        </>
      ))}
      {decision?.lander_id && <Drawn name={names[decision.lander_id]} what={t.trace.lander} />}
      {decision?.offer_id && <Drawn name={names[decision.offer_id]} what={t.trace.offer} />}
    </ol>
  )
}

type StepProps = { ok: boolean; name: string; says?: string; side?: string; children?: ComponentChildren }

// Step is a line of a trace. `says` is what a screen reader says about the icon.
const Step = ({ ok, name, says, side, children }: StepProps) => (
  <li class={'step ' + (ok ? 'yes' : 'no')}>
    <span class="mark">
      <Icon name={ok ? 'check' : 'x'} />
    </span>
    <div>
      <div class="strong">
        {name}
        {says && <span class="hidden"> {says}</span>}
      </div>
      {children}
    </div>
    <span class={side && 'dim fine'}>{side}</span>
  </li>
)

const Drawn = ({ name, what }: { name?: string; what: string }) => (
  <Step ok name={name ?? t.gone} side={t.trace.drawn}>
    <div class="soft">{what}</div>
  </Step>
)

// Units shows up to six conditions that decided whether a path was taken. For a path that was taken, these are conditions that the
// visitor met.
function Units({ list, logic }: { list: RouteUnit[]; logic: string }) {
  const subs = useContext(Named),
    findings = list.flatMap(u => u.conditions.map(c => ({ ...c, rule: u.rule })))
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
            <b>{attributeName(f.attribute, subs)}</b>{' '}
            {f.matched ? t.trace.holds(seen) : t.trace.fails(seen, operatorName(f.operator), s.joined)}
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
      <Step key={s.step} ok={s.ok} name={names[s.step] ?? said.names[s.step] ?? s.step} says={s.ok ? t.link.ok : t.link.notOk}>
        <div class="soft wrap">{said.of(s.detail)}</div>
      </Step>
    ))}
  </ol>
)
