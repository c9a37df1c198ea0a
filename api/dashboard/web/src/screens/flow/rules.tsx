import { useState } from 'preact/hooks'
import type { Path } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { asError, call } from '../../core/call.ts'
import { sentence } from '../../core/errors.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { toastAndReload } from '../../core/toast.ts'
import { Sentence } from '../../parts/condition.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Choices } from '../../parts/choices.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Alert } from '../../parts/state.tsx'
import type { Book } from './book.ts'

type Props = { path: Path; book: Book; saved: { id: string; name: string }[] | undefined; on: (c: Partial<Path>) => void }

// Rules edits the rules of a path: saved rules of the account and rules of the path's own.
export function Rules({ path: p, book, saved, on }: Props) {
  const [newName, setNewName] = useState(''),
    [error, setError] = useState<string>()
  const used = new Set(p.rules.map(r => r.rule_id)),
    free = saved?.filter(r => !used.has(r.id))
  // saveRule saves the path's own conditions as a rule of the account, and replaces them by the rule.
  const saveRule = () =>
    call('POST /rules', { body: { name: newName, logic: p.logic, conditions: p.filters } }).then(
      made => {
        on({ filters: [], rules: [...p.rules, { name: made.name, rule_id: made.id }] })
        setNewName('')
        toastAndReload(flowWords.ruleSaved(made.name), 'rules')
      },
      e => setError(sentence(asError(e))),
    )
  return (
    <>
      <div class="rules">
        {p.rules.map((r, i) => {
          const savedRule = r.rule_id ? book.rules.get(r.rule_id) : undefined
          return (
            <div key={i} class="ruleline row">
              <span class="grow">
                <b>{savedRule?.name ?? r.name}</b> <span class="dim fine">{r.rule_id ? flowWords.savedRule : flowWords.ownRule}</span>
                <span class="block">
                  {(savedRule?.conditions ?? r.conditions ?? []).map((c, j) => (
                    <Sentence key={j} of={c} names={book.known.names} />
                  ))}
                </span>
              </span>
              <Button
                look="quiet icon"
                aria-label={t.parts.remove(r.name)}
                onClick={() => on({ rules: p.rules.filter((_, j) => j !== i) })}
                icon="x"
              />
            </div>
          )
        })}
      </div>
      <div class="row wraps">
        {free && free.length > 0 && (
          <Menu
            kind="btn sm"
            name={flowWords.addRule}
            label={
              <>
                <Icon name="plus" />
                {flowWords.addRule}
              </>
            }>
            {close => (
              <Choices
                list={free.map(r => r.id)}
                text={id => free.find(r => r.id === id)!.name}
                pick={id => {
                  close()
                  on({ rules: [...p.rules, { name: free.find(r => r.id === id)!.name, rule_id: id }] })
                }}
              />
            )}
          </Menu>
        )}
        {p.filters.length > 0 && (
          <Menu kind="btn sm quiet" name={flowWords.keepRule} label={flowWords.keepRule}>
            {close => (
              <form
                onSubmit={e => {
                  e.preventDefault()
                  e.stopPropagation()
                  if (newName.trim()) void saveRule().then(close)
                }}>
                <label class="field">
                  <span>{t.overview.name}</span>
                  <input class="input" maxLength={255} value={newName} onInput={e => setNewName(e.currentTarget.value)} />
                </label>
                <Button type="submit" look="sm" text={t.parts.save} />
                {error && <Alert text={error} />}
              </form>
            )}
          </Menu>
        )}
      </div>
    </>
  )
}
