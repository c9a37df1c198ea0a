import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

type Props = {
  label: ComponentChildren
  accept: string
  take: (file: File) => void
  wide?: boolean
  under?: ComponentChildren
  children: ComponentChildren
}

// DropArea takes a file that a person drops on it or chooses. `label` is the text of the button, and `under` is shown below the
// button.
export function DropArea({ label, accept, take, wide, under, children }: Props) {
  const [dragOver, setDragOver] = useState(false)
  const read = (file?: File | null) => {
    if (file) take(file)
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
      <label class="btn sm filebutton">
        {label}
        <input
          type="file"
          accept={accept}
          onChange={e => {
            read(e.currentTarget.files?.[0])
            e.currentTarget.value = ''
          }}
        />
      </label>
      {under}
    </div>
  )
}
