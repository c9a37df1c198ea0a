import type { CredentialFieldShown, IntegrationRun } from '../api.gen.ts'
import { Part } from './card.tsx'
import { dateTime } from '../core/dates.ts'
import { choicesOf, valueOf, type Values } from '../core/credential.ts'
import { count } from '../core/format.ts'
import { t } from '../core/text.ts'
import { w } from '../text/integrations.ts'
import { Area, Field, Input, Select, type Wrong } from './form.tsx'
import { Icon } from './icons.tsx'
import { PlainTable } from './plain_table.tsx'

type Props = {
  fields: CredentialFieldShown[]
  saved: Values
  value: Values
  on: (v: Values) => void
  wrong?: Wrong
  needed?: boolean // whether the connection only works if all fields are filled in
}

// Credentials shows the fields that a provider asks for. A saved secret is shown masked.
export const Credentials = ({ fields, saved, value, on, wrong, needed }: Props) => (
  <>
    {fields.map(f => (
      <Field
        key={f.name}
        wide={isLong(f)}
        label={f.label}
        hint={[f.help, saved[f.name] && f.secret ? `${saved[f.name]}. ${w.keep}` : f.required || needed ? '' : w.optional]
          .filter(Boolean)
          .join(' · ')}
        error={wrong?.field === f.name ? wrong.text : undefined}>
        {wired => {
          const v = valueOf(f, saved, value),
            set = (text: string) => on({ ...value, [f.name]: text })
          return f.values.length > 0 ? (
            <Select wired={wired} value={v} options={choicesOf(f, saved).map(o => ({ value: o, label: o || w.unset }))} on={set} />
          ) : isLong(f) ? (
            <Area wired={wired} value={v} max={20000} on={set} />
          ) : (
            <Input
              wired={wired}
              type={f.secret ? 'password' : 'text'}
              autocomplete="off"
              spellcheck={false}
              maxLength={20000}
              value={v}
              on={set}
            />
          )
        }}
      </Field>
    ))}
  </>
)

const isLong = (f: CredentialFieldShown) => /json|private_key/.test(f.name)

// `Says` shows whether a connection is switched on. If it is, `Says` also shows whether the last call to the provider succeeded.
export const Says = ({ on, error }: { on: boolean; error: string | null }) => (
  <span class={'tag ' + (!on ? '' : error ? 'bad' : 'good')}>{!on ? w.off : error ? w.failing : w.ok}</span>
)

export const Runs = ({ list }: { list: IntegrationRun[] }) => (
  <Part title={w.runs.title}>
    {list.length === 0 ? (
      <p class="dim">{w.runs.none}</p>
    ) : (
      <PlainTable
        label={w.runs.title}
        heads={[{ left: w.runs.when }, { left: w.runs.what }, w.runs.read, w.runs.matched, w.runs.changed, { left: w.runs.how }]}>
        {list.map(r => (
          <tr key={r.id}>
            <td class="left num">{dateTime(r.startedAt)}</td>
            <td class="left num">
              {r.from ? `${r.from} – ${r.to ?? ''}` : ''}
              {r.kind === 'network_changes' && ` ${w.runs.decisions}`}
            </td>
            <td class="num">{count(r.read)}</td>
            <td class="num">{count(r.matched)}</td>
            <td class="num">{count(r.changed)}</td>
            <td class="left" title={r.error ?? ''}>
              {r.error ? (
                <span class="bad">{r.error}</span>
              ) : !r.endedAt ? (
                t.exports.running
              ) : r.applied ? (
                <Icon name="check" />
              ) : (
                w.runs.dry
              )}
              {r.endedAt && !r.error && r.applied && <span class="hidden">{t.exports.done}</span>}
            </td>
          </tr>
        ))}
      </PlainTable>
    )}
  </Part>
)
