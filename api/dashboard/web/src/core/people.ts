// Helpers that the screens about people share.
import { w } from '../text/people.ts'
import { explained } from './errors.ts'
import { failed, toast } from './toast.ts'
import { ApiError } from './call.ts'

export const errorText = (e: unknown) => explained(e, w.codes)
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
const firstMatch = (patterns: readonly (readonly [RegExp, string])[], agent: string) =>
  patterns.find(([pattern]) => pattern.test(agent))?.[1]

// browserOf returns the rough name of a user agent's browser and system.
export const browserOf = (agent: string) =>
  [firstMatch(browsers, agent), firstMatch(systems, agent)].filter(Boolean).join(' · ') || agent.slice(0, 60) || w.me.unknownBrowser
