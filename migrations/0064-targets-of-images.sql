-- The PPA that an image is made of besides the mirrors, such as ~team/ubuntu/landed: the target of landings. Null where
-- it is the mirrors alone.
ALTER TABLE image ADD COLUMN target text;
