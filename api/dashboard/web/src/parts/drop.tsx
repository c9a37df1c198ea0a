import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

type Props = {
  label: ComponentChildren
  accept: string
  onFile: (file: File) => void
  wide?: boolean
  under?: ComponentChildren
  children: ComponentChildren
}

type ButtonProps = { id?: string; label: ComponentChildren; accept: string; on: (input: HTMLInputElement) => void }

export const FileButton = ({ id, label, accept, on }: ButtonProps) => (
  <label class="btn sm filebutton">
    {label}
    <input id={id} type="file" accept={accept} onChange={e => on(e.currentTarget)} />
  </label>
)

// DropArea takes a file that a person drops on it or chooses.
export function DropArea({ label, accept, onFile, wide, under, children }: Props) {
  const [dragOver, setDragOver] = useState(false)
  const read = (file?: File | null) => {
    if (file) onFile(file)
  }
  return (
    <div
      class={(wide ? 'across ' : '') + 'drop' + (dragOver ? ' over' : '')}
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
      {children}
      <FileButton
        label={label}
        accept={accept}
        on={input => {
          read(input.files?.[0])
          input.value = ''
        }}
      />
      {under}
    </div>
  )
}
