// Asks the service how it reads a CSV file, and writes one.
import { useEffect, useState } from 'preact/hooks'
import type { FileLook, LookBody } from '../api.gen.ts'
import { asError, call, type ApiError } from './call.ts'

export const mostRows = 5000,
  mostBytes = 6_000_000 // bytes: a file of this size, encoded in base64, fits into the body of a call
export type Head = FileLook
export type FileKind = NonNullable<LookBody['kind']>

export const base64Of = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve((reader.result as string).split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error ?? new Error('unreadable'))
    reader.readAsDataURL(file)
  })

// useFile holds the text of a file and how the service reads it. The text of a chosen file comes from the service, which finds
// out the file's charset. While the service reads an edited text, `head` belongs to the earlier text and `reading` is true.
export function useFile(kind: FileKind) {
  const [text, setText] = useState(''),
    [read, setRead] = useState<{ text: string; kind: FileKind; head: Head }>(),
    [error, setError] = useState<ApiError>(),
    [tries, setTries] = useState(0)
  const current = read?.text === text && read.kind === kind
  useEffect(() => {
    setError(undefined)
    if (!text.trim() || current) return
    const stop = new AbortController(),
      timer = setTimeout(() => {
        call('POST /corrections/look', { body: { csv: text, kind }, signal: stop.signal }).then(
          head => setRead({ text, kind, head }),
          e => {
            if (!stop.signal.aborted) setError(asError(e))
          },
        )
      }, 300)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, kind, current, tries])
  const readFile = async (file: File) => {
    setText('')
    setError(undefined)
    try {
      const head = await call('POST /corrections/look', { body: { file: await base64Of(file), kind } })
      setRead({ text: head.text, kind, head })
      setText(head.text)
    } catch (e) {
      setError(asError(e))
    }
  }
  const head = text.trim() && read?.kind === kind ? read.head : undefined
  return { text, setText, readFile, head, reading: !!text.trim() && !current && !error, error, again: () => setTries(tries + 1) }
}

// csvOf returns records as CSV. It puts an apostrophe before a cell that a spreadsheet program would take for a formula.
export const csvOf = (rows: string[][]) =>
  rows
    .map(r =>
      r
        .map(c => {
          const text = /^[=+\-@\t]/.test(c) ? "'" + c : c
          return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
        })
        .join(','),
    )
    .join('\n') + '\n'
