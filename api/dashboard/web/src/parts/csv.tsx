import { useState } from 'preact/hooks'
import { mostBytes } from '../core/csv.ts'
import { t } from '../core/text.ts'
import { Field } from './form.tsx'
import { Icon } from './icons.tsx'

const w = t.corrections
type Props = { example: string; text: string; set: (v: string) => void; tooLarge: () => void }

// Source takes a file that a person drops or chooses, or the text of a file.
export function Source({ example, text, set, tooLarge }: Props) {
  const [dragOver, setDragOver] = useState(false)
  const read = (file?: File | null) => {
    if (!file) return
    if (file.size > mostBytes) {
      set('')
      tooLarge()
      return
    }
    void file.text().then(set)
  }
  return (
    <div
      class={'drop' + (dragOver ? ' over' : '')}
      onDragOver={e => {
        e.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={e => {
        e.preventDefault()
        setDragOver(false)
        read(e.dataTransfer?.files[0])
      }}>
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
      <label class="btn sm filebutton">
        <Icon name="doc" />
        {w.file}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={e => {
            read(e.currentTarget.files?.[0])
            e.currentTarget.value = ''
          }}
        />
      </label>
    </div>
  )
}
