# What a business sets: profile, hours, services, staff, data.
