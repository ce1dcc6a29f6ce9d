import type { FieldErrors, FieldValues } from 'react-hook-form'
import { toast } from '../../ui/toast.tsx'

/** Shows a toast with the first validation error. The fields show their own errors as well. */
export function toastValidationError<Values extends FieldValues>(errors: FieldErrors<Values>): void {
  const firstError = Object.values(errors).find((error) => error?.message)
  toast({ title: 'Validation Error', description: String(firstError?.message ?? ''), variant: 'destructive' })
}
