// The English meanings of tokens come from the service, so this list is empty.
import { named } from '../words.ts'

export const words = { meaning: named<string, string>({}) }
