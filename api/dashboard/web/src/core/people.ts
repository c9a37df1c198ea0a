// Helpers that the screens about people share.
import { w } from '../text/people.ts'
import { sentence } from './errors.ts'
import { failed, toast } from './toast.ts'
import { asError, ApiError } from './call.ts'

// told returns the text that explains an error of these screens.
export const told = (e: unknown) => {
  const error = asError(e)
  return w.codes[error.code] ?? sentence(error)
}
// complain shows an error as a toast. It shows nothing if the person cancelled.
export const complain = (e: unknown) => {
  if (e instanceof ApiError && e.code === 'confirm') return
  if (e instanceof ApiError && w.codes[e.code]) toast(w.codes[e.code]!, { bad: true })
  else failed(e)
}

const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const
const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const first = (of: readonly (readonly [RegExp, string])[], agent: string) => of.find(([is]) => is.test(agent))?.[1]

// browserOf returns the rough name of a user agent's browser and system.
export const browserOf = (agent: string) =>
  [first(browsers, agent), first(systems, agent)].filter(Boolean).join(' · ') || agent.slice(0, 60) || w.me.unknownBrowser
