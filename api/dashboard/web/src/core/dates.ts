// Formats dates in the account's own format, and the time that has passed since a moment.
import { hourOf } from './format.ts'
import { me, zone } from './me.ts'
import { language, t } from './text.ts'
import { two, wall } from './window.ts'

export function dateOf(at: number, format = me.value?.account.dateFormat ?? 'YYYY-MM-DD', tz = zone.value) {
  const d = new Date(wall(at, tz)),
    month = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' }).format(d)
  const parts: Record<string, string> = {
    YYYY: String(d.getUTCFullYear()),
    MMM: month,
    MM: two(d.getUTCMonth() + 1),
    DD: two(d.getUTCDate()),
  }
  return format.replace(/YYYY|MMM|MM|DD/g, part => parts[part]!)
}
export const dateTime = (text: string) => dateOf(Date.parse(text)) + ' ' + hourOf(Date.parse(text))

export function ago(text: string) {
  const minutes = Math.floor((Date.now() - Date.parse(text)) / 60000),
    w = t.exports
  if (minutes < 1) return t.overview.now
  return w.ago(
    minutes < 60
      ? w.times.minutes(minutes)
      : minutes < 48 * 60
        ? w.times.hours(Math.floor(minutes / 60))
        : w.times.days(Math.floor(minutes / 1440)),
  )
}
