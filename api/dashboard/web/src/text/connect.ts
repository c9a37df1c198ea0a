// The words of the page that connects an assistant, and of the list of connected assistants.
import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/connect.ts'), de: () => import('./de/connect.ts') })
