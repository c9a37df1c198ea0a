import { useState } from 'preact/hooks'
import { FileButton } from '../../parts/drop.tsx'
import { w } from '../../text/config.ts'

type Props = { id: string; label: string; accept: string; on: (file?: File) => void; hint?: string }

// FileField takes a file that a person chooses, and shows its name.
export function FileField({ id, label, accept, on, hint }: Props) {
  const [name, setName] = useState('')
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <span class="row">
        <FileButton
          id={id}
          label={w.chooseFile}
          accept={accept}
          on={input => {
            const file = input.files?.[0]
            setName(file?.name ?? '')
            on(file)
          }}
        />
        <span class="dim cut">{name}</span>
      </span>
      {hint && <small class="dim">{hint}</small>}
    </div>
  )
}
