import type { FieldErrors, FieldValues } from 'react-hook-form'
import { toast } from '../../ui/toast.tsx'

/**
 * Says the first thing that is wrong with a form; the fields say the same beside themselves, and
 * keep saying it.
 */
export function toastValidationError<Values extends FieldValues>(errors: FieldErrors<Values>): void {
  const first = Object.values(errors).find((error) => error?.message)
  toast({ title: 'Validation Error', description: String(first?.message ?? ''), variant: 'destructive' })
}
