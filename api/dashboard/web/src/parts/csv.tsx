import { mostBytes, type Head } from '../core/csv.ts'
import { count } from '../core/format.ts'
import { DropArea } from './drop.tsx'
import { Field } from './form.tsx'
import { Icon } from './icons.tsx'
import { w } from '../text/corrections.ts'

type Props = { example: string; text: string; set: (v: string) => void; onFile: (file: File) => void; tooLarge: () => void }

// Source takes a file that a person drops or chooses, or the text of a file.
export function Source({ example, text, set, onFile, tooLarge }: Props) {
  const check = (file: File) => {
    if (file.size > mostBytes) {
      set('')
      tooLarge()
      return
    }
    onFile(file)
  }
  const button = (
    <>
      <Icon name="doc" />
      {w.file}
    </>
  )
  return (
    <DropArea label={button} accept=".csv,.tsv,.txt,text/csv" onFile={check}>
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

// Skipped names the lines of a file that are not rows.
export const Skipped = ({ of: head }: { of: Head }) =>
  head.skipped_lines > 0 ? (
    <details class="dim fine">
      <summary>{w.skipped(head.skipped_lines, count(head.skipped_lines))}</summary>
      <ul>
        {head.skipped.map(s => (
          <li key={s.line}>
            {w.line} {s.last > s.line ? `${s.line}–${s.last}` : s.line}: {w.skips[s.reason] ?? s.reason}
            {s.text && <span class="soft"> {s.text}</span>}
          </li>
        ))}
      </ul>
    </details>
  ) : null
