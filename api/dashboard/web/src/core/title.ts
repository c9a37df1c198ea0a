// The heading of a screen whose name is unknown until its record has been loaded.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

export type Heading = { name: string; above?: { name: string; path: string }; beside?: ComponentChildren }
export const heading = signal<Heading | null>(null)

// useHeading sets the heading while the screen is shown.
export function useHeading(of: Heading | null, ...on: unknown[]) {
  useEffect(() => {
    heading.value = of
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the caller lists in on what the heading shows beside the name
  }, [of?.name, of?.above?.path, ...on])
  useEffect(
    () => () => {
      heading.value = null
    },
    [],
  )
}
