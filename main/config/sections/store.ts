import { z } from 'zod';
import { optional, section } from '../setting.ts';

export const store = section('The data store', {
  store: {
    address: optional(
      'address',
      'AIRLINE_STORE',
      'Bucket for the files of builds, s3://bucket or s3://bucket/prefix; the account is that of the AWS_ variables. Unset: the folder `store` of the state directory.',
      z
        .string()
        .regex(
          /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._~+:-]+)*\/?$/,
          'is neither s3://bucket nor s3://bucket/prefix',
        ),
    ),
  },
});
