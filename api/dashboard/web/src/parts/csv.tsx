import { mostBytes } from '../core/csv.ts'
import { t } from '../core/text.ts'
import { DropArea } from './drop.tsx'
import { Field } from './form.tsx'
import { Icon } from './icons.tsx'

const w = t.corrections
type Props = { example: string; text: string; set: (v: string) => void; tooLarge: () => void }

// Source takes a file that a person drops or chooses, or the text of a file.
export function Source({ example, text, set, tooLarge }: Props) {
  const take = (file: File) => {
    if (file.size > mostBytes) {
      set('')
      tooLarge()
      return
    }
    void file.text().then(set)
  }
  const button = (
    <>
      <Icon name="doc" />
      {w.file}
    </>
  )
  return (
    <DropArea label={button} accept=".csv,.tsv,.txt,text/csv" take={take}>
      <Field label={w.drop}>
        {wired => (
          <textarea
            {...wired}
            class="input area mono"
            rows={text ? 7 : 5}
            spellcheck={false}
            placeholder={example}
            value={text}
            onInput={e => {
              const v = e.currentTarget.value
              if (v.length > mostBytes) {
                e.currentTarget.value = text
                tooLarge()
              } else set(v)
            }}
          />
        )}
      </Field>
    </DropArea>
  )
}
