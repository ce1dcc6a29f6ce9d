export const root: string
export const stampFile: string
export const inputs: readonly string[]
export function digestInputs(): string
export function isBuilt(): boolean
