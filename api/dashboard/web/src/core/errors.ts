import { asError, type ApiError } from './call.ts'
import { language, t } from './text.ts'

// codes holds German sentences for the service's error codes. English needs none, because the service's own messages are in
// English.
let codes: Record<string, string> = {}
if (language === 'de')
  void import('../text/de/codes.ts').then(
    m => {
      codes = m.words
    },
    () => undefined,
  )

export const sentence = (e: ApiError) =>
  e.wait > 60 && e.code === 'rate_limited' ? t.failed.wait(e.wait) : (t.failed.codes[e.code] ?? codes[e.code] ?? e.message)

// explained returns the text that explains an error: the text that a screen has for its code, else the general sentence.
export const explained = (e: unknown, texts: Record<string, string>) => {
  const error = asError(e)
  return texts[error.code] ?? sentence(error)
}
