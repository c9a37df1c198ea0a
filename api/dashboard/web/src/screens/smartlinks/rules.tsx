import type { Condition } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { choicesOf, type useSources } from '../../core/choices.ts'
import { fresh } from '../../core/condition.ts'
import { useLookup } from '../../core/lookup.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/smartlinks.ts'
import { Conditions } from '../../parts/condition.tsx'
import { Field, Input } from '../../parts/form.tsx'
import { Alert } from '../../parts/state.tsx'
import { UrlInput } from '../../parts/url_input.tsx'

export type Rule = { id?: string; name: string; logic: 'and' | 'or'; conditions: Condition[]; destination_url: string }
const mostRules = 20

type RulesProps = { list: Rule[]; on: (list: Rule[]) => void; sources: ReturnType<typeof useSources>; error?: string; may: boolean }

// Rules edits the rules of a smartlink, in their order.
export function Rules({ list, on, sources, error, may }: RulesProps) {
  const lookup = useLookup({ source_id: choicesOf(sources) })
  return (
    <>
      <p class="dim">{w.rulesText}</p>
      {list.length === 0 && <p class="soft">{w.noRules}</p>}
      <ol class="linkrules">
        {list.map((r, i) => (
          <One
            key={r.id ?? i}
            of={r}
            n={i + 1}
            last={list.length}
            lookup={lookup}
            on={next => on(list.map((o, j) => (j === i ? next : o)))}
            remove={() => on(list.filter((_, j) => j !== i))}
            move={by => {
              const rules = [...list],
                [one] = rules.splice(i, 1)
              rules.splice(i + by, 0, one!)
              on(rules)
            }}
          />
        ))}
      </ol>
      {error && <Alert text={error} />}
      {may && (
        <div>
          <Button
            look="sm"
            disabled={list.length >= mostRules}
            title={list.length >= mostRules ? w.most : undefined}
            onClick={() => on([...list, { name: '', logic: 'and', conditions: [fresh()], destination_url: '' }])}
            icon="plus"
            text={w.addRule}
          />
        </div>
      )}
    </>
  )
}

type OneProps = {
  of: Rule
  n: number
  last: number
  on: (r: Rule) => void
  remove: () => void
  move: (by: number) => void
  lookup: ReturnType<typeof useLookup>
}

// One edits one rule: its name, its conditions and its destination.
function One({ of: r, n, last, on, remove, move, lookup }: OneProps) {
  const name = w.ruleOf(n, r.name)
  return (
    <li>
      <div class="linkrule" role="group" aria-label={name}>
        <div class="row">
          <span class="face" aria-hidden="true">
            {n}
          </span>
          <Input aria-label={w.ruleName(n)} placeholder={w.ruleOf(n, '')} value={r.name} maxLength={255} on={v => on({ ...r, name: v })} />
          <Button look="quiet icon" aria-label={w.up(name)} disabled={n === 1} onClick={() => move(-1)} icon="upward" />
          <Button look="quiet icon" aria-label={w.down(name)} disabled={n === last} onClick={() => move(1)} icon="down" />
          <Button look="quiet icon" aria-label={t.parts.remove(name)} onClick={remove} icon="x" />
        </div>
        <Conditions
          label={w.conditionsOf(name)}
          empty={w.noCondition}
          list={r.conditions}
          logic={r.logic}
          lookup={lookup}
          on={(conditions, logic) => on({ ...r, conditions, logic })}
        />
        <Field label={w.ruleURL}>
          {wired => (
            <UrlInput wired={wired} label={w.ruleURL} value={r.destination_url} on={destination_url => on({ ...r, destination_url })} />
          )}
        </Field>
      </div>
    </li>
  )
}
