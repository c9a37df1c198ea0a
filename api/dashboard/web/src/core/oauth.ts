// Signing in at an ad platform. The browser leaves the page and comes back to another page, so the address of the first page is
// kept in the session storage.
import { call } from './call.ts'
import { to } from './router.ts'

const storageKey = 'switchyard.oauth'

// signIn begins a sign-in, remembers the address to come back to, and sends the browser to the platform.
export async function signIn(provider: string, back: string) {
  const { url } = await call('POST /app/api/oauth/{provider}', { path: { provider } })
  sessionStorage.setItem(storageKey, back)
  location.assign(url)
}

// begunAt returns the address that signIn stored, and removes it. If no address of the dashboard is stored, begunAt returns the
// address of the page of integrations.
export function begunAt(): string {
  const at = sessionStorage.getItem(storageKey)
  sessionStorage.removeItem(storageKey)
  return at?.startsWith('/app/') ? at : to('/app/integrations')
}
