import { Skeleton } from '../../ui/skeleton.tsx'

const fieldsOf = { 'log-in': 2, 'sign-up': 4, 'forgot-password': 1 }

/** Placeholder with the height of a form of /auth while the configuration loads. */
export function FormSkeleton({ form }: { form: keyof typeof fieldsOf }) {
  const hasTabs = form !== 'forgot-password'
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-5">
      <h1 className="sr-only">Log in or sign up</h1>
      {hasTabs ? (
        <>
          <Skeleton className="mb-1 h-11" />
          <Skeleton className="h-22 touch:h-24" />
          <Skeleton className="mb-1 h-4" />
        </>
      ) : (
        <Skeleton className="h-15 phone:h-20" />
      )}
      {[...Array(fieldsOf[form]).keys()].map((field) => (
        <Skeleton key={field} className="h-16 touch:h-17" />
      ))}
      {form === 'log-in' && <Skeleton className="h-6 w-48 touch:h-11" />}
      <Skeleton className="h-10 touch:h-11" />
      {hasTabs ? <Skeleton className="h-4 phone:h-8" /> : <Skeleton className="h-10 touch:h-11" />}
    </div>
  )
}
