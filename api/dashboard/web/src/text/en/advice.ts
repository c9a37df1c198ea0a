// What to do about alerts, by their type, and what is seen. The service's own texts are in English.
import type { Alert } from '../../api.gen.ts'

const does: Record<string, string> = {}
export const words = { does, seen: (_: Alert['type'], message: string) => message }
