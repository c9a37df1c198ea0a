// Reports that a write has succeeded.
import { touches } from './query.ts'
import { toast } from './toast.ts'

// written shows a text, drops the cached answers of rows with these names, and loads again those that are on the screen.
export const written = (text: string, ...names: string[]) => {
  touches(...names)
  toast(text)
}
