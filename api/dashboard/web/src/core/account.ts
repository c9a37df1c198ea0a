// The currency and the time zone of the account.
import { call } from './call.ts'
import { me } from './me.ts'

// changeAccount changes the currency or the time zone of the account. It sends the other settings too, because PATCH /settings
// resets a format that is left out.
export async function changeAccount(change: { currency?: string; timezone?: string }) {
  const { currency, timezone, dateFormat, timeFormat, version } = await call('GET /settings')
  await call('PATCH /settings', {
    body: { currency, timezone, date_format: dateFormat, time_format: timeFormat, ...change },
    match: version,
  })
  me.value = await call('GET /app/api/session')
}
