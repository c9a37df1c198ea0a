import { useState } from 'preact/hooks'
import type { ComponentProps } from 'preact'
import { Ask } from './sheet.tsx'

export type Question = Omit<ComponentProps<typeof Ask>, 'close'>

// useAsk returns the open question, to be rendered, and a function that asks a question.
export function useAsk() {
  const [question, setQuestion] = useState<Question>()
  return [question && <Ask {...question} close={() => setQuestion(undefined)} />, setQuestion] as const
}
