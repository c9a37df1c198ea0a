import { useEffect, useState } from 'preact/hooks'
import { Link } from '../../parts/button.tsx'
import { Sign } from '../../parts/icons.tsx'
import { call } from '../../core/call.ts'
import { begunAt } from '../../core/oauth.ts'
import { go, to } from '../../core/router.ts'
import { w } from '../../text/integrations.ts'
import { errorText } from '../../core/connect.ts'
import { toastAndReload } from '../../core/toast.ts'

// consumeParameters returns the platform's parameters and removes them from the address.
function consumeParameters(): URLSearchParams {
  const given = new URLSearchParams(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
  return given
}

// OAuth is the screen to which a browser comes back from an ad platform. It posts the platform's parameters from the
// dashboard's own origin.
export function OAuth() {
  const [wrong, setWrong] = useState('')
  useEffect(() => {
    const given = consumeParameters(),
      state = given.get('state')
    if (!state) return setWrong(w.ads.noCode)
    call('POST /app/api/oauth', { body: { state, code: given.get('code') ?? '', error: given.get('error') ?? '' } }).then(
      done => {
        toastAndReload(w.ads.finished(done.label, done.user_name), 'oauth', 'traffic-sources')
        go(begunAt(), true)
      },
      e => setWrong(errorText(e)),
    )
  }, [])
  return (
    <section class="card empty">
      {wrong ? (
        <>
          <Sign name="warn" tone="warn" />
          <p role="alert">
            {w.ads.failed}: {wrong}
          </p>
          <Link href={to('/app/integrations')} text={w.ads.toAll} />
        </>
      ) : (
        <p role="status">{w.ads.finishing}</p>
      )}
    </section>
  )
}
