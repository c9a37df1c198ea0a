import { useEffect, useRef, useState } from 'preact/hooks'
import { fillIn, kindOf, nameOf, placeholdersOf } from '../../core/placeholders.ts'
import { place } from '../../core/router.ts'
import { recordWords } from '../../text/records.ts'
import { Button } from '../../parts/button.tsx'
import { Field, InputField } from '../../parts/form.tsx'
import type { Draft } from '../../parts/record_form.tsx'
import { Tokens, UrlInput } from '../../parts/url_input.tsx'

const w = recordWords.fields

type Props = { value: string; example: string; page?: string; error?: string; on: (v: string) => void }

// formOf returns the address whose placeholders are to be filled in: the value, or the example if there is no value yet. The
// result is empty if that address has no placeholders.
const formOf = (value: string, example: string) => [value, value ? '' : example].find(a => placeholdersOf(a).length) ?? ''

// PostbackURL edits the address at which conversions are reported to a source. An address with placeholders has a field for each
// of them. `example` is the address of the platform's template.
export function PostbackURL({ value, example, page, error, on }: Props) {
  const [start, setStart] = useState({ value, form: formOf(value, example) }),
    [values, setValues] = useState<Record<string, string>>({}),
    [sent, setSent] = useState(value)
  const { form } = start,
    fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.value.query.get('at') === 'postback') fields.current?.querySelector('input')?.focus()
  }, [])
  useEffect(() => {
    if (value === sent) return
    setStart({ value, form: formOf(value, example) }) // the caller has set another value, for instance because a person discarded the draft
    setValues({})
    setSent(value)
  }, [value, example, sent])
  const send = (v: string) => {
    setSent(v)
    on(v)
  }
  if (!form)
    return (
      <Field label={w.postbackURL} error={error}>
        {wired => <UrlInput wired={wired} label={w.postbackURL} postback value={value} on={send} />}
      </Field>
    )
  const set = (word: string, text: string) => {
    const next = { ...values, [word]: text },
      filled = fillIn(form, next)
    setValues(next)
    send(filled === form ? start.value : filled)
  }
  return (
    <Field
      label={w.postbackURL}
      group
      hint={
        <>
          {w.placeholdersHint}{' '}
          {page && (
            <a class="link" href={page} target="_blank" rel="noreferrer">
              {w.placeholdersPage}
            </a>
          )}
        </>
      }
      error={error}>
      {() => (
        <>
          <div class="fields" ref={fields}>
            {placeholdersOf(form).map(word => (
              <InputField
                key={word}
                label={nameOf(word)}
                hint={w.placeholderHints[kindOf(word)]}
                class="mono"
                value={values[word] ?? ''}
                on={v => set(word, v)}
              />
            ))}
          </div>
          <code class="mono wrap">
            <Tokens url={fillIn(form, values)} postback />
          </code>
          <div class="row">
            <Button
              look="sm quiet"
              onClick={() => {
                setStart({ value: '', form: '' })
                send('')
              }}
              text={w.otherPostback}
            />
          </div>
        </>
      )}
    </Field>
  )
}

// unfilled explains which placeholders of an address have no value. It explains nothing for the unchanged address of the template,
// because this address counts as empty.
export function unfilled(address: string, example: string): string | undefined {
  const left = placeholdersOf(address)
  return left.length && address !== example ? w.placeholdersLeft(left.map(nameOf).join(', ')) : undefined
}

// withoutTemplate returns a draft in which an address that still has placeholders is empty.
export const withoutTemplate = (d: Draft): Draft => (placeholdersOf(String(d.postback_url ?? '')).length ? { ...d, postback_url: '' } : d)
