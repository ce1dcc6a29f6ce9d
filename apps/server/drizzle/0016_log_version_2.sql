ALTER TABLE "log_head" ADD COLUMN "salted_from" bigint;--> statement-breakpoint
-- Quotes inside a canonical text are escaped, so these byte strings occur only as keys of the entry itself.
CREATE FUNCTION "guard_log_version"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first_salted bigint;
BEGIN
  UPDATE "log_head" SET "salted_from" = (SELECT min("index") FROM "added" WHERE position('"salt":"0x'::bytea IN "bytes") > 0)
    WHERE "salted_from" IS NULL AND EXISTS (SELECT FROM "added" WHERE position('"salt":"0x'::bytea IN "bytes") > 0);
  SELECT "salted_from" INTO first_salted FROM "log_head";
  IF EXISTS (
    SELECT FROM "added" WHERE "index" > first_salted AND position('"salt":"0x'::bytea IN "bytes") = 0 AND (
      position('"kind":"alert"'::bytea IN "bytes") > 0
      OR position('"kind":"correction"'::bytea IN "bytes") > 0
      OR position('"kind":"retraction"'::bytea IN "bytes") > 0
    )
  ) THEN
    RAISE EXCEPTION 'The log holds entries of version 2 from entry % on, so an entry of version 1 can not follow. Update this instance.', first_salted;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "log_entries_guard_version" AFTER INSERT ON "log_entries" REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "guard_log_version"();
